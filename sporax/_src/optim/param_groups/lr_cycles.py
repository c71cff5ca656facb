"""Schedulers that are cyclic, run in sequence, or depend on a result."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.optim.param_groups.lr_scheduler import LRScheduler, of_kind, per_group
from sporax._src.optim.param_groups.optimizer import Optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """eta_min + (lr - eta_min) · (1 + cos(π · T_cur / T_i)) / 2, restarted after T_0, T_0 · T_mult, ... epochs."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch: int = -1
    ) -> None:
        label = "CosineAnnealingWarmRestarts"
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{label}: {name} must be an int >= 1, got {describe(value)}.")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min = T_mult, of_kind(label, "eta_min", eta_min, float, int)
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        part = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (lr - self.eta_min) * part for lr in self._base()]

    def step(self, epoch: float | None = None) -> bool:
        """Set the learning rates of the next epoch, or of `epoch`, which may be fractional."""
        epoch = self.epoch + 1 if epoch is None else float(epoch)
        if epoch < 0:
            raise ValueError(f"CosineAnnealingWarmRestarts: epoch must be >= 0, got {epoch}.")
        self.T_cur, self.T_i = epoch, self.T_0
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        self.last_epoch.set_data(Tensor(np.float32(math.floor(epoch))))
        self._assign(self.get_lr())
        return True


class CyclicLR(LRScheduler):
    """Rates between `base_lr` and `max_lr`: up over `step_size_up` steps, down over `step_size_down`.

    Args:
        optimizer: An optimizer with `param_groups`.
        base_lr, max_lr: The least and the largest rate, one or one for each group.
        step_size_up, step_size_down: Steps; if None, down takes as many as up.
        mode: `"triangular"`; `"triangular2"` halves the height each cycle; `"exp_range"` scales it by gamma^step.
        gamma: See `mode`.
        scale_fn: A function that scales the height instead, of the cycle or the step.
        scale_mode: `"cycle"` or `"iterations"`: what `scale_fn` receives.
        last_epoch: The number of the last step.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        lows = per_group("CyclicLR", "base_lr", optimizer, base_lr)
        self.max_lrs = per_group("CyclicLR", "max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for low, group in zip(lows, optimizer.param_groups, strict=True):
                group["lr"].set_data(Tensor(np.float32(low)))
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(f"CyclicLR: mode must be triangular, triangular2 or exp_range, got {mode!r}.")
        down = step_size_up if step_size_down is None else step_size_down
        self.total_step_size = float(step_size_up + down)
        self.step_up_ratio = step_size_up / self.total_step_size
        self.mode, self.gamma, self._scale_fn = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.base_lrs: list[Any] = lows
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x: float) -> Any:
        """Return the factor of the height in a cycle (or at a step)."""
        if self._scale_fn is not None:
            return self._scale_fn(x)
        return {"triangular": 1.0, "triangular2": 0.5 ** (x - 1), "exp_range": self.gamma**x}[self.mode]

    def get_lr(self) -> list[Any]:
        cycles = self.epoch / self.total_step_size
        cycle = math.floor(1 + cycles)
        x = 1 + cycles - cycle
        height = x / self.step_up_ratio if x <= self.step_up_ratio else (x - 1) / (self.step_up_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.epoch)
        return [low + (high - low) * height * scale for low, high in zip(self._base(), self.max_lrs, strict=True)]


class SequentialLR:
    """Several schedulers in sequence: the next one starts at each epoch of `milestones`.

    Args:
        optimizer: The optimizer of all of them.
        schedulers: The schedulers.
        milestones: Epochs, one fewer than schedulers.
        last_epoch: The number of the last epoch.

    Raises:
        ValueError: If a scheduler has another optimizer, or numbers do not fit.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        for i, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(f"SequentialLR: schedulers[{i}] belongs to another optimizer.")
        if len(milestones) != len(schedulers) - 1:
            counts = f"{len(schedulers)} schedulers and {len(milestones)} milestones"
            raise ValueError(f"SequentialLR: expected one milestone fewer than schedulers, got {counts}.")
        self._schedulers, self.milestones, self.optimizer = schedulers, milestones, optimizer
        self.last_epoch = Parameter(Tensor(last_epoch + 1, mstype.float32), name="last_epoch_SequentialLR")
        for group in optimizer.param_groups:
            group["lr"].set_data(group["initial_lr"])
        for scheduler in schedulers:
            scheduler.last_epoch.set_data(Tensor(np.float32(scheduler.epoch - 1)))
        schedulers[0].step()
        self._last_lr = schedulers[0]._last_lr

    def step(self) -> None:
        """Set the learning rates of the next epoch."""
        epoch = int(self.last_epoch.asnumpy()) + 1
        self.last_epoch.set_data(Tensor(np.float32(epoch)))
        now = bisect_right(self.milestones, epoch)
        begins = now > 0 and self.milestones[now - 1] == epoch
        self._schedulers[now].step(0) if begins else self._schedulers[now].step()

    def get_last_lr(self) -> list[Tensor]:
        """Return the current learning rates of the groups."""
        return [lr.value() for lr in self._last_lr]


class ReduceLROnPlateau:
    """Multiplies the rates by `factor` when a result has not improved for more than `patience` epochs.

    Args:
        optimizer: An optimizer with `param_groups`.
        mode: `"min"` or `"max"`: the better direction.
        factor: The factor, < 1.
        patience: Epochs.
        threshold, threshold_mode: The least improvement of a result, `"rel"` or `"abs"`.
        cooldown: Epochs after a change that do not count.
        min_lr: The least rate, one or one for each group.
        eps: Changes of the rate below it are left out.

    Raises:
        TypeError: If `optimizer` has no `param_groups`.
        ValueError: If an argument is out of range.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        label = type(self).__name__
        if factor >= 1.0:
            raise ValueError(f"{label}: factor must be less than 1, got {factor}.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{label}: optimizer must be an optimizer with param_groups, got {describe(optimizer)}.")
        for name, value, known in (("mode", mode, ("min", "max")), ("threshold_mode", threshold_mode, ("rel", "abs"))):
            if value not in known:
                raise ValueError(f"{label}: {name} must be {known[0]!r} or {known[1]!r}, got {value!r}.")
        self.min_lrs = per_group(label, "min_lr", optimizer, min_lr)
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        self.best = math.inf if mode == "min" else -math.inf
        self.last_epoch = self.wait = self.cooldown_counter = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: float | Tensor) -> bool:
        """Record the result of an epoch."""
        current = float(np.float32(metrics.asnumpy() if isinstance(metrics, Tensor) else metrics))
        self.last_epoch += 1
        better = self._is_improvement(current, self.best)
        self.best, self.wait = (current, 0) if better else (self.best, self.wait + 1)
        if self.in_cooldown():
            self.cooldown_counter, self.wait = self.cooldown_counter - 1, 0
        if self.wait > self.patience:
            self._reduce()
            self.cooldown_counter, self.wait = self.cooldown, 0
        return True

    def in_cooldown(self) -> bool:
        """Return whether epochs do not count now."""
        return self.cooldown_counter > 0

    def _is_improvement(self, current: float, best: float) -> bool:
        f = np.float32
        sign = f(-1 if self.mode == "min" else 1)
        bound = (
            f(best) * (f(1) + sign * f(self.threshold))
            if self.threshold_mode == "rel"
            else f(best) + sign * f(self.threshold)
        )
        return bool(sign * f(current) > sign * bound)

    def _reduce(self) -> None:
        for lr, least in zip(self._last_lr, self.min_lrs, strict=True):
            old = np.float32(lr.asnumpy())
            new = max(old * np.float32(self.factor), np.float32(least))
            if old > new + np.float32(self.eps):
                lr.set_data(Tensor(new))

    def get_last_lr(self) -> list[Tensor]:
        """Return the current learning rates of the groups."""
        return [lr.value() for lr in self._last_lr]
