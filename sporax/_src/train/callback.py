"""Callbacks: what happens around steps and epochs of `Model`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor


class Callback:
    """The base of callbacks: override the events you need; each receives a `RunContext`."""

    def __enter__(self) -> Callback:
        return self

    def __exit__(self, *error: object) -> None:
        """Release what the callback holds."""

    def begin(self, run_context: RunContext) -> None:
        """Before the first step."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """After each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Before each step."""

    def step_end(self, run_context: RunContext) -> None:
        """After each step."""

    def end(self, run_context: RunContext) -> None:
        """After the last step."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Before training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Before each training epoch."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """After each training epoch."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Before each training step."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """After each training step."""
        self.step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """After training."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Before evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Before the evaluation epoch."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """After the evaluation epoch."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Before each evaluation step."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """After each evaluation step."""
        self.step_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """After evaluation."""
        self.end(run_context)


class InternalCallbackParam(dict):
    """What callbacks know of the run, as attributes; unknown ones read as None."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class RunContext:
    """A run as its callbacks see it.

    Args:
        original_args: The parameters of the run.
    """

    def __init__(self, original_args: Any) -> None:
        if not isinstance(original_args, dict):
            raise TypeError(f"RunContext: original_args must be a dict, got {describe(original_args)}.")
        self._args = original_args
        self._stop = False

    def original_args(self) -> Any:
        """Return the parameters of the run: `cur_epoch_num`, `cur_step_num`, `batch_num`, `net_outputs`, ..."""
        return self._args

    def request_stop(self) -> None:
        """Ask the run to stop after this step."""
        self._stop = True

    def get_stop_requested(self) -> bool:
        """Tell whether a stop was asked for."""
        return self._stop


class CallbackList(Callback):
    """Passes every event on to callbacks, in order."""

    def __init__(self, callbacks: Any) -> None:
        if callbacks is None:
            callbacks = []
        given = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
        for callback in given:
            if not isinstance(callback, Callback):
                raise TypeError(f"Model: callbacks must be Callback objects, got {describe(callback)}.")
        self.callbacks: list[Callback] = given
        self._entered: list[Callback] = []

    def __enter__(self) -> CallbackList:
        for callback in self.callbacks:
            self._entered.append(callback.__enter__())
        return self

    def __exit__(self, *error: object) -> None:
        for callback in reversed(self._entered):
            callback.__exit__(*error)
        self._entered.clear()

    def tell(self, event: str, run_context: RunContext) -> None:
        """Call one event of every callback."""
        for callback in self.callbacks:
            getattr(callback, event)(run_context)


def last_loss(outputs: Any) -> Any:
    """Return the loss among a network's outputs as a float, or None if the first output is no number."""
    if isinstance(outputs, (tuple, list)) and outputs:
        outputs = outputs[0]
    if isinstance(outputs, Tensor):
        return float(np.mean(outputs.asnumpy())) if outputs.size else None
    return float(outputs) if isinstance(outputs, (int, float)) else None


class LossMonitor(Callback):
    """Show the loss: as a progress bar on a terminal, as lines elsewhere.

    Args:
        per_print_times: Steps between two lines; 0 shows one a run of `dataset_sink_mode`.

    Raises:
        ValueError: If the loss is NaN or infinite (the run stops), or `per_print_times` is negative.
    """

    def __init__(self, per_print_times: int = 1) -> None:
        if isinstance(per_print_times, bool) or not isinstance(per_print_times, int) or per_print_times < 0:
            raise ValueError(f"LossMonitor: per_print_times must be an int >= 0, got {per_print_times!r}.")
        self._every = per_print_times
        self._last = 0
        self._bar: Progress | None = None

    def __exit__(self, *error: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        due = self._every and args.cur_step_num - self._last >= self._every
        if args.cur_step_num <= self._last or due:
            self._show(args)

    def _show(self, args: Any) -> None:
        loss = last_loss(args.net_outputs)
        if loss is None:
            return
        step = (args.cur_step_num - 1) % args.batch_num + 1
        if not np.isfinite(loss):
            raise ValueError(
                f"epoch: {args.cur_epoch_num} step: {step}. Invalid loss, terminating training: the loss is {loss}."
            )
        self._last = args.cur_step_num
        console = Console()
        if console.is_terminal and args.mode == "train":
            self._advance(console, args, step, loss)
        else:
            print(f"epoch: {args.cur_epoch_num} step: {step}, loss is {loss}", flush=True)

    def _advance(self, console: Console, args: Any, step: int, loss: float) -> None:
        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("loss {task.fields[loss]:.4f}"),
                       TimeRemainingColumn())  # fmt: skip
            self._bar = Progress(*columns, console=console)
            self._task = self._bar.add_task("", total=args.batch_num, loss=loss)
            self._bar.start()
        shown = f"epoch {args.cur_epoch_num}/{args.epoch_num}"
        self._bar.update(self._task, completed=step, total=args.batch_num, description=shown, loss=loss)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self._close()
        args = run_context.original_args()
        if args.eval_results:
            print(f"Eval result: epoch {args.cur_epoch_num}, metrics: {args.eval_results}", flush=True)

    def on_train_end(self, run_context: RunContext) -> None:
        self._close()


class TimeMonitor(Callback):
    """Show how long epochs and steps take, the first step (which compiles) apart.

    Args:
        data_size: Steps an epoch; taken from the run if None.
        data_time: Whether to show the time spent waiting for data.
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        if data_size is not None and (not isinstance(data_size, int) or data_size <= 0):
            raise ValueError(f"TimeMonitor: data_size must be an int > 0 or None, got {data_size!r}.")
        self.data_size = data_size
        self.data_time = data_time
        self.epoch_time = time.perf_counter()
        self.first_step: float | None = None
        self._waited = 0.0

    def epoch_begin(self, run_context: RunContext) -> None:
        self.epoch_time = self._since = time.perf_counter()
        self._waited = 0.0

    def step_begin(self, run_context: RunContext) -> None:
        self._started = time.perf_counter()
        self._waited += self._started - self._since

    def step_end(self, run_context: RunContext) -> None:
        self._since = time.perf_counter()
        if self.first_step is None:
            _wait(run_context.original_args().net_outputs)
            self._since = time.perf_counter()
            self.first_step = (self._since - self._started) * 1000
            print(f"First step time (with compilation): {self.first_step:5.3f} ms", flush=True)

    def epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        _wait(args.net_outputs)
        milliseconds = (time.perf_counter() - self.epoch_time) * 1000
        steps = self.data_size or args.batch_num
        text = f"{args.mode.title()} epoch time: {milliseconds:5.3f} ms, per step time: {milliseconds / steps:5.3f} ms"
        if self.data_time:
            text += f", data waiting time: {self._waited * 1000:5.3f} ms"
        print(text, flush=True)


def _wait(outputs: Any) -> None:
    for value in outputs if isinstance(outputs, (tuple, list)) else [outputs]:
        if isinstance(value, Tensor):
            value._data.block_until_ready()


class LambdaCallback(Callback):
    """A callback made of functions, each called with the `RunContext`."""

    def __init__(
        self,
        on_train_epoch_begin: Callable[[RunContext], Any] | None = None,
        on_train_epoch_end: Callable[[RunContext], Any] | None = None,
        on_train_step_begin: Callable[[RunContext], Any] | None = None,
        on_train_step_end: Callable[[RunContext], Any] | None = None,
        on_train_begin: Callable[[RunContext], Any] | None = None,
        on_train_end: Callable[[RunContext], Any] | None = None,
        on_eval_epoch_begin: Callable[[RunContext], Any] | None = None,
        on_eval_epoch_end: Callable[[RunContext], Any] | None = None,
        on_eval_step_begin: Callable[[RunContext], Any] | None = None,
        on_eval_step_end: Callable[[RunContext], Any] | None = None,
        on_eval_begin: Callable[[RunContext], Any] | None = None,
        on_eval_end: Callable[[RunContext], Any] | None = None,
    ) -> None:
        for name, fn in dict(locals()).items():
            if name != "self" and fn is not None:
                setattr(self, name, fn)


class LearningRateScheduler(Callback):
    """Set the learning rate before each step: `learning_rate_function(lr, step)`.

    Args:
        learning_rate_function: Receives the rate and the number of the step, returns the rate.
    """

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        rate = args.optimizer.learning_rate
        new = self.learning_rate_function(float(rate.asnumpy()), args.cur_step_num)
        rate.set_data(Tensor(np.float32(new)))


class History(Callback):
    """Keep the results of each epoch in `.epoch` and `.history`."""

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] = {}

    def begin(self, run_context: RunContext) -> None:
        self.epoch.setdefault("epoch", [])

    def epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self.epoch.setdefault("epoch", []).append(args.cur_epoch_num or 1)
        results: Iterable[tuple[str, Any]] = (args.metrics or {}).items() if args.mode == "eval" else []
        logs = {"net_output": last_loss(args.net_outputs)} if args.mode == "train" else dict(results)
        for name, value in {**logs, **(args.eval_results or {})}.items():
            self.history.setdefault(name, []).append(value)
