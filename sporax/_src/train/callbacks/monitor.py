"""Callbacks that show the loss and the time of training."""

from __future__ import annotations

import time

import numpy as np

from sporax._src.api.dataset import Dataset, kind, slowest, watch
from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.callbacks.callback import Callback, InternalCallbackParam, RunContext, last_loss
from sporax._src.train.callbacks.progress_line import ProgressLine, on_terminal


def check_int(label: str, name: str, value: object, low: int = 0) -> int:
    """Return `value`, which must be an int of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{label}: {name} must be an int, got {describe(value)}.")
    if value < low:
        raise ValueError(f"{label}: {name} must be >= {low}, got {value}.")
    return value


class LossMonitor(Callback):
    """Show the loss: lines `epoch: 1 step: 1, loss is 0.5`; on a terminal a progress bar.

    Args:
        per_print_times: Steps between two lines; 0 shows none. Default 1.

    Raises:
        ValueError: If `per_print_times` is negative; in a run, if the loss is NaN or infinite (training stops).

    Examples:
        >>> import sporax as ms
        >>> monitor = ms.train.LossMonitor(100)
    """

    def __init__(self, per_print_times: int = 1) -> None:
        self._per_print_times = check_int("LossMonitor", "per_print_times", per_print_times)
        self._last_print_time = 0  # the step
        self._line: ProgressLine | None = None

    def __exit__(self, *error: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        loss = last_loss(args.net_outputs)
        epoch, step = args.get("cur_epoch_num", 1), (args.cur_step_num - 1) % args.batch_num + 1
        if loss is not None and not np.isfinite(loss):
            raise ValueError(
                f"In epoch: {epoch} step: {step}, loss is NAN or INF, training process cannot continue, terminating "
                f"training (the loss is {loss})."
            )
        if not self._per_print_times:
            return
        while args.cur_step_num <= self._last_print_time:  # another run counts its steps anew
            self._last_print_time -= max(self._per_print_times, args.batch_num if args.dataset_sink_mode else 1)
        if args.cur_step_num - self._last_print_time >= self._per_print_times:
            self._last_print_time = args.cur_step_num
            self._show(args, epoch, step, loss)

    def _show(self, args: InternalCallbackParam, epoch: int, step: int, loss: float | None) -> None:
        if self._line is None and on_terminal() and ProgressLine.shown is None:
            self._line = ProgressLine(args.batch_num)
        if self._line is not None and args.mode == "train" and loss is not None:
            self._line.show(f"epoch {args.cur_epoch_num}/{args.epoch_num}", step, {"loss": loss})
        else:
            print(f"epoch: {epoch} step: {step}, loss is {args.net_outputs if loss is None else loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self._close()
        args = run_context.original_args()
        if args.metrics:
            print(f"Eval result: epoch {args.cur_epoch_num}, metrics: {args.metrics}")

    def on_train_end(self, run_context: RunContext) -> None:
        self._close()


class TimeMonitor(Callback):
    """Show the time of epochs and steps, and once the time of the first step, which compiles.

    Args:
        data_size: The number of steps in an epoch, if the run has no such number; NumPy numbers are accepted too.
        data_time: Whether to show the time a step waits for data, and which dataset of the pipeline takes most of it.

    Raises:
        TypeError: If `data_time` is not a bool.

    Examples:
        >>> import sporax as ms
        >>> monitor = ms.train.TimeMonitor(data_time=True)
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        if not isinstance(data_time, bool):
            raise TypeError(f"TimeMonitor: data_time must be a bool, got {describe(data_time)}.")
        self.data_size = data_size
        self.data_time = data_time
        self.first_step: float | None = None
        self.epoch_time = self.data_time_start = self._started = time.perf_counter()
        self._waited, self._told = 0.0, False
        self._dataset: Dataset | None = None

    def begin(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        dataset = args.get("train_dataset")
        if self.data_time and isinstance(dataset, Dataset):
            watch(dataset)
            self._dataset = dataset

    def epoch_begin(self, run_context: RunContext) -> None:
        self.epoch_time = self.data_time_start = time.perf_counter()
        self._waited = 0.0

    def step_begin(self, run_context: RunContext) -> None:
        self._started = time.perf_counter()
        self._waited += self._started - self.data_time_start

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if self.first_step is None and not args.get("dataset_sink_mode"):  # sink mode tells of the last step alone
            wait(args.net_outputs)
            self.first_step = (time.perf_counter() - self._started) * 1000
        self.data_time_start = time.perf_counter()

    def epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        wait(args.net_outputs)
        milliseconds = (time.perf_counter() - self.epoch_time) * 1000
        steps = args.batch_num or self.data_size or 1
        text = f"{args.mode.title()} epoch time: {milliseconds:5.3f} ms, per step time: {milliseconds / steps:5.3f} ms"
        if self.data_time:
            text += f" (data time: {self._waited * 1000 / steps:5.3f} ms)"
            text += f" (most of it in {kind(slowest(self._dataset)[0])})" if self._dataset is not None else ""
        if not self._told and self.first_step is not None:
            text += f" (first step, with compilation: {self.first_step:5.3f} ms)"
            self._told = True
        print(text, flush=True)


def wait(outputs: object) -> None:
    """Wait until a step's outputs are computed."""
    for value in outputs if isinstance(outputs, (tuple, list)) else [outputs]:
        if isinstance(value, Tensor):
            value._data.block_until_ready()
