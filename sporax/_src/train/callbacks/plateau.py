"""Callbacks that watch a result of each epoch: stop early, lower the learning rate."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.logging import warning
from sporax._src.checkpoint.serialization import load_param_into_net
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.train.callbacks.callback import Callback, InternalCallbackParam, RunContext, last_loss
from sporax._src.train.callbacks.monitor import check_int

_SMALLER_IS_BETTER = {
    "eval_loss", "hausdorff_distance", "loss", "mae", "mean_surface_distance", "mse", "perplexity",
    "root_mean_square_distance",
}  # fmt: skip


def _check(label: str, name: str, value: Any, kind: Any) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise TypeError(f"{label}: {name} must be {' or '.join(k.__name__ for k in kinds)}, got {describe(value)}.")
    return value


class _Watch(Callback):
    """Tracks one result: the best so far, and the number of epochs since then."""

    _resumed = ("best", "wait")

    def __init__(self, monitor: str, mode: str, min_delta: float, patience: int, verbose: bool) -> None:
        label = type(self).__name__
        self.monitor = _check(label, "monitor", monitor, str)
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"{label}: mode must be 'auto', 'min' or 'max', got {mode!r}.")
        self.mode = mode
        self.min_delta = abs(_check(label, "min_delta", min_delta, (int, float)))
        self.patience = check_int(label, "patience", patience)
        self.verbose = _check(label, "verbose", verbose, bool)
        self._smaller = mode == "min" or (mode == "auto" and monitor in _SMALLER_IS_BETTER)
        self.on_train_begin(None)

    def on_train_begin(self, run_context: RunContext | None) -> None:
        self.wait = 0
        self.best = math.inf if self._smaller else -math.inf

    def better(self, value: float, than: float) -> bool:
        """Return whether a value is better than another by more than `min_delta`."""
        return value < than - self.min_delta if self._smaller else value > than + self.min_delta

    def current(self, args: InternalCallbackParam) -> float | None:
        """Return the watched result of this epoch, None (with a warning) if there is none."""
        results = args.eval_results or {}
        value = last_loss(args.net_outputs) if self.monitor == "loss" else results.get(self.monitor)
        if value is None:
            known = ", ".join(["loss", *results])
            warning("%s: there is no result %r; there are: %s.", type(self).__name__, self.monitor, known)
            return None
        if np.ndim(value):
            raise ValueError(
                f"{type(self).__name__}: {self.monitor} must be a scalar, got shape {list(np.shape(value))}."
            )
        return float(value)


class EarlyStopping(_Watch):
    """Stop training when a result has not improved for some epochs.

    Args:
        monitor: `"loss"` (of the last training step), `"eval_loss"`, or the name of a metric of `Model.fit`.
        min_delta: The least improvement of a result that counts.
        patience: How many epochs may go by without a better one.
        verbose: Whether to say so.
        mode: `"min"` or `"max"`: what is better; `"auto"` decides by the name.
        baseline: Only results better than this one count as improvements.
        restore_best_weights: Whether to restore the Parameters of the best epoch.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `mode` is unknown, or the result is no scalar.

    Examples:
        >>> import sporax as ms
        >>> stop = ms.train.EarlyStopping(monitor="acc", patience=3, mode="max")
    """

    _resumed = ("best", "wait", "stopped_epoch", "best_weights_param_dict")

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, mode, min_delta, patience, verbose)
        self.baseline = None if baseline is None else _check("EarlyStopping", "baseline", baseline, (int, float))
        self.restore_best_weights = _check("EarlyStopping", "restore_best_weights", restore_best_weights, bool)

    def on_train_begin(self, run_context: RunContext) -> None:
        super().on_train_begin(run_context)
        self.stopped_epoch = 0
        self.best_weights_param_dict: dict[str, Any] | None = None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        value = self.current(args)
        if value is None:
            return
        improved = self.better(value, self.best)
        if self.restore_best_weights and (improved or self.best_weights_param_dict is None):
            self.best_weights_param_dict = copy.deepcopy(args.train_network.parameters_dict())
        self.wait += 1
        if improved:
            self.best = value
            if self.baseline is None or self.better(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self._stop(run_context, args)

    def _stop(self, run_context: RunContext, args: InternalCallbackParam) -> None:
        self.stopped_epoch = args.cur_epoch_num
        run_context.request_stop()
        if self.best_weights_param_dict is not None:
            if self.verbose:
                print("Restoring model weights from the end of the best epoch.")
            load_param_into_net(args.train_network, self.best_weights_param_dict)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.stopped_epoch and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping")


class ReduceLROnPlateau(_Watch):
    """Multiply the learning rate by `factor` when a result has not improved for some epochs.

    Args:
        monitor: See `EarlyStopping`.
        factor: The factor, between 0 and 1.
        patience: How many epochs may go by without a better one.
        verbose: Whether to say so.
        mode: See `EarlyStopping`.
        min_delta: The least improvement of a result that counts.
        cooldown: How many epochs after a change do not count.
        min_lr: The least learning rate.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range, or the learning rate is not one number.

    Examples:
        >>> import sporax as ms
        >>> reduce = ms.train.ReduceLROnPlateau(monitor="eval_loss", factor=0.5, patience=2)
    """

    _resumed = ("best", "wait", "cooldown_counter")

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta, patience, verbose)
        self.factor = _check("ReduceLROnPlateau", "factor", factor, float)
        if not 0 < factor < 1:
            raise ValueError(f"ReduceLROnPlateau: factor must be between 0 and 1, got {factor}.")
        self.cooldown = check_int("ReduceLROnPlateau", "cooldown", cooldown)
        self.min_lr = _check("ReduceLROnPlateau", "min_lr", min_lr, (int, float))

    def on_train_begin(self, run_context: RunContext) -> None:
        super().on_train_begin(run_context)
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        rate = args.optimizer.learning_rate
        if not isinstance(rate, Parameter):
            raise ValueError("ReduceLROnPlateau: the learning rate must be one number, not a list, schedule or groups.")
        value = self.current(args)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.better(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(rate, args.cur_epoch_num)

    def _reduce(self, rate: Parameter, epoch: int) -> None:
        before = np.float32(rate.asnumpy())
        if before > np.float32(self.min_lr):
            new = max(before * np.float32(self.factor), np.float32(self.min_lr))
            rate.set_data(Tensor(new))
            if self.verbose:
                print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {new!s}.")
        self.cooldown_counter, self.wait = self.cooldown, 0
