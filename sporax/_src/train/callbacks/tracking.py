"""Logging to services that store the values of runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.train.callbacks.callback import Callback, InternalCallbackParam, RunContext, last_loss
from sporax._src.train.callbacks.monitor import check_int
from sporax._src.train.callbacks.progress import numbers


class Tracker(Callback):
    """The base of callbacks that log the loss, the learning rate and the metrics of a run to a service.

    Args:
        every: Steps between two reports of loss and learning rate; the metrics are reported when they are computed.
    """

    def __init__(self, every: int) -> None:
        self._every = check_int(type(self).__name__, "every", every, 1)
        self._rate: float | None = None
        self._step = 0

    def open(self) -> None:
        """Begin a run of the service, or use the open one."""
        raise NotImplementedError

    def report(self, values: dict[str, float], step: int) -> None:
        """Log values by name to the service."""
        raise NotImplementedError

    def close(self, failed: bool) -> None:
        """End the run if this callback began it; a second call does nothing."""
        raise NotImplementedError

    def __enter__(self) -> Tracker:
        self.open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close(failed=any(part is not None for part in error))

    def _is_due(self, args: InternalCallbackParam) -> bool:
        return args.cur_step_num == 1 or args.cur_step_num % self._every == 0

    def on_train_step_begin(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._rate = rate_of(args.optimizer) if self._is_due(args) else None

    def on_train_step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._step = args.cur_step_num
        if self._is_due(args):
            given = {"loss": last_loss(args.net_outputs), "learning_rate": self._rate, "epoch": args.cur_epoch_num}
            self.report({name: value for name, value in given.items() if value is not None}, self._step)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self._report_metrics(run_context.original_args().eval_results)  # of the evaluation that ended the epoch

    def on_eval_end(self, run_context: RunContext) -> None:
        self._report_metrics(run_context.original_args().metrics)

    def _report_metrics(self, metrics: dict[str, Any] | None) -> None:
        values = {f"eval/{name.removeprefix('eval_')}": value for name, value in numbers(metrics or {}).items()}
        if values:
            self.report(values, self._step)


def rate_of(optimizer: Any) -> float | None:
    """Return the learning rate of the coming step; None if there is none, or one for each group."""
    rate = optimizer.get_lr() if hasattr(optimizer, "get_lr") else None
    return float(np.asarray(rate.asnumpy()).reshape(())) if isinstance(rate, Tensor) and rate.size == 1 else None
