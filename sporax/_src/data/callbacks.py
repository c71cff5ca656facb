"""DSCallback: the callbacks of a `map` while an iterator reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.data import checks


@dataclass(frozen=True)
class DSRunContext:
    """The progress of a `map`, which a DSCallback receives: epochs and rows, both counted from 1."""

    cur_epoch_num: int = 0
    cur_step_num_in_epoch: int = 0
    cur_step_num: int = 0


class DSCallback:
    """The base of callbacks of `Dataset.map`: override the events you need; each takes a run context.

    The context has `cur_epoch_num`, `cur_step_num_in_epoch` and `cur_step_num`; a step is a row of the map.

    Args:
        step_size (int): The callbacks of steps are called for one row of every `step_size` rows. Default: ``1``.

    Raises:
        TypeError: If `step_size` is not an int.
        ValueError: If `step_size` is not positive.

    Examples:
        >>> import sporax.dataset as ds
        >>> class Told(ds.DSCallback):
        ...     def ds_step_begin(self, ds_run_context):
        ...         print("row", ds_run_context.cur_step_num, "of epoch", ds_run_context.cur_epoch_num)
        >>> data = ds.NumpySlicesDataset([5, 6], shuffle=False).map(lambda x: x, callbacks=Told())
        >>> rows = list(data.create_tuple_iterator(num_epochs=1))
        row 1 of epoch 1
        row 2 of epoch 1
    """

    def __init__(self, step_size: int = 1) -> None:
        self.step_size = checks.integer(type(self).__name__, "step_size", step_size, 1)

    def ds_begin(self, ds_run_context: Any) -> None:
        """Before an iterator's first row."""

    def ds_epoch_begin(self, ds_run_context: Any) -> None:
        """Before the first row of each epoch."""

    def ds_epoch_end(self, ds_run_context: Any) -> None:
        """After the last row of each epoch."""

    def ds_step_begin(self, ds_run_context: Any) -> None:
        """Before the operations are called with a row."""

    def ds_step_end(self, ds_run_context: Any) -> None:
        """After the operations were called with a row."""


_EVENTS = [name for name in vars(DSCallback) if name.startswith("ds_")]


def check_callbacks(where: str, callbacks: Any) -> list[DSCallback]:
    """Return `callbacks`, one or several or None, as a list.

    Raises:
        TypeError: If one is not a DSCallback.
        AttributeError: If one overrides no event.
    """
    listed = [] if callbacks is None else list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
    for position, callback in enumerate(listed):
        if not isinstance(callback, DSCallback):
            raise TypeError(f"{where}: callbacks[{position}] must be a DSCallback, got {describe(callback)}.")
        if all(getattr(type(callback), event) is getattr(DSCallback, event) for event in _EVENTS):
            raise AttributeError(f"{where}: {type(callback).__name__} overrides none of {', '.join(_EVENTS)}.")
    return listed


class Progress:
    """How far one iterator has read a `map`, and its callbacks."""

    def __init__(self, callbacks: Sequence[DSCallback]) -> None:
        self._callbacks = callbacks
        self._epoch = self._in_epoch = self._steps = 0

    def begin_epoch(self, epoch: int) -> None:
        """Call the callbacks before an epoch, counted from 0, and before the first one also those of the beginning."""
        if not self._epoch:
            self._tell("ds_begin")
        self._epoch, self._in_epoch = epoch + 1, 0
        self._tell("ds_epoch_begin")

    def end_epoch(self) -> None:
        """Call the callbacks after the epoch."""
        self._tell("ds_epoch_end")

    def step(self, function: Callable[..., Any], *args: object) -> Any:
        """Return what `function` returns for the next row, with callbacks before and after."""
        self._steps, self._in_epoch = self._steps + 1, self._in_epoch + 1
        self._tell("ds_step_begin")
        result = function(*args)
        self._tell("ds_step_end")
        return result

    def _tell(self, event: str) -> None:
        context = DSRunContext(self._epoch, self._in_epoch, self._steps)
        for callback in self._callbacks:
            if "step" not in event or (self._in_epoch - 1) % callback.step_size == 0:
                handler = getattr(callback, event)
                try:
                    handler(context)
                except Exception as error:
                    raise checks.failed("Dataset.map(callbacks=...)", handler, None, error) from error
