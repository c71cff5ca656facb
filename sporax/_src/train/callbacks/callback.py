"""The base of callbacks, which run around steps and epochs of `Model`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor


class Callback:
    """The base of callbacks: override the events you need; each receives a `RunContext`.

    Examples:
        >>> import sporax as ms
        >>> class Stop(ms.train.Callback):
        ...     def on_train_step_end(self, run_context):
        ...         if run_context.original_args().cur_step_num == 100:
        ...             run_context.request_stop()
    """

    _resumed: tuple[str, ...] = ()  # attributes that belong to the state of a run

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
    """Information about the run for callbacks, as attributes; unknown ones read as None."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


class RunContext:
    """A run as its callbacks see it.

    Args:
        original_args: The parameters of the run.
    """

    def __init__(self, original_args: object) -> None:
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
        """Return whether a stop was requested."""
        return self._stop


STANDING: list[Callback] = []  # those of every run, unless it has one of their class itself


class CallbackList(Callback):
    """Passes every event on to callbacks, in order."""

    _callbacks = property(lambda self: self.callbacks)  # copies of MindSpore's loops read them by this name

    def __init__(self, callbacks: Any) -> None:
        if callbacks is None:
            callbacks = []
        given = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
        for callback in given:
            if not isinstance(callback, Callback):
                raise TypeError(f"Model: callbacks must be Callback objects, got {describe(callback)}.")
        self.callbacks: list[Callback] = [*given, *(c for c in STANDING if type(c) not in map(type, given))]
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


def _passed_on(event: str) -> Any:
    return lambda self, run_context: self.tell(event, run_context)


for _event in [name for name in vars(Callback) if not name.startswith("_")]:
    setattr(CallbackList, _event, _passed_on(_event))


def last_loss(outputs: object) -> Any:
    """Return the loss among a network's outputs as a float, or None if the first output is no number."""
    if isinstance(outputs, (tuple, list)) and outputs:
        outputs = outputs[0]
    if isinstance(outputs, Tensor):
        return float(np.mean(outputs.asnumpy())) if outputs.size else None
    return float(outputs) if isinstance(outputs, (int, float)) else None


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
    """Set the learning rate after each step: `learning_rate_function(lr, cur_step_num)`.

    Args:
        learning_rate_function: Receives the rate and the number of the step, returns the rate.

    Examples:
        >>> import sporax as ms
        >>> halve = ms.train.LearningRateScheduler(lambda lr, step: lr / 2 if step == 100 else lr)
    """

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        rate = args.optimizer.learning_rate
        before = float(str(np.asarray(rate.asnumpy())[()]))
        new = self.learning_rate_function(before, args.cur_step_num)
        if new != before:
            rate.set_data(Tensor(np.float32(new)))
