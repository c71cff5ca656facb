"""Iterators: rows of a dataset as Tensors, epoch by epoch, with a position that can be saved and restored."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from collections.abc import Iterator as Rows
from typing import Any, Generic, Self, TypeVar

from sporax._src.base.errors import describe
from sporax._src.base.stopwatch import DATA, stopwatch
from sporax._src.data import checks, config
from sporax._src.data.autotune import Tuner
from sporax._src.data.iteration import Node, Run
from sporax._src.data.tensor_bridge import to_output_numpy, to_tensor

_Row = TypeVar("_Row")
_Column = TypeVar("_Column")  # a Tensor or an array

watchers: list[Callable[[Any], None]] = []  # called with each dataset that an iterator is made for


class Iterator(Generic[_Row]):
    """Reads a dataset; the subclasses define the form of a row.

    One pass of a ``for`` loop is one epoch; the next loop over the same iterator is the next epoch, with new random
    orders. `get_state` and `set_state` save and restore the position between two rows.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If `num_epochs` is neither -1 nor positive, or more epochs are read than asked for.

    Examples:
        >>> import sporax.dataset as ds
        >>> rows = ds.NumpySlicesDataset([5, 6, 7], shuffle=False).create_tuple_iterator(output_numpy=True)
        >>> _, state = next(rows), rows.get_state()
        >>> rest = [row[0].item() for row in rows]
        >>> rows.set_state(state)
        >>> rest == [row[0].item() for row in rows] == [6, 7]
        True
    """

    def __init__(
        self,
        dataset: Node,
        columns: str | list[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
        *,
        prefetch: int = 0,
    ) -> None:
        where = type(self).__name__
        if not isinstance(num_epochs, int) or isinstance(num_epochs, bool):
            raise TypeError(f"{where}: num_epochs must be an int, got {describe(num_epochs)}.")
        if num_epochs < 1 and num_epochs != -1:
            raise RuntimeError(f"{where}: num_epochs must be -1 or positive, got {num_epochs}.")
        for name, value in ("output_numpy", output_numpy), ("do_copy", do_copy):
            if value is not None:
                checks.boolean(where, name, value)
        for watcher in watchers:
            watcher(dataset)
        self.dataset = dataset
        self._names = dataset.get_col_names()
        self._picked: list[int] | None = None
        if columns is None and any(name.startswith("_meta-") for name in self._names):
            columns = [name for name in self._names if not name.startswith("_meta-")]  # visible after a rename
        if columns is not None:
            columns = checks.columns(where, "columns", columns)
            self._picked = checks.positions(where, columns, self._names)
            self._names = columns
        self._num_epochs = num_epochs
        self._prefetch = checks.integer(where, "prefetch", prefetch, 0)
        self._convert = to_output_numpy if output_numpy else to_tensor
        is_tuned = config.get_enable_autotune()
        tuner = Tuner(dataset, config.get_autotune_interval(), config.autotune_path()) if is_tuned else None
        self._run = Run(dataset, tuner=tuner)
        self._epoch = self._step = 0
        self._rows: Rows[Any] | None = None
        self._stopped = False
        if dataset.get_init_step():
            self._epoch, self._step = divmod(dataset.get_init_step(), max(dataset.get_dataset_size(), 1))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> _Row:
        row = stopwatch.measured(DATA, self._next_row) if stopwatch.is_running else self._next_row()
        if row is None:
            self._close()
            self._epoch, self._step = self._epoch + 1, 0
            self._run.end_epoch()
            if self._epoch == self._num_epochs:
                self._run.end()
            raise StopIteration
        self._step += 1
        if self._run.tuner is not None:
            self._run.tuner.end_row()
        if self._picked is not None:
            row = [row[k] for k in self._picked]
        return self._shape([self._convert(value) for value in row])

    def _next_row(self) -> Any:
        if self._rows is None:
            self._rows = self._open()
        try:
            return next(self._rows, None)
        except BaseException:
            self._close()  # the position stays: the next call starts workers again, and reads this row
            self._run.end()
            raise

    def _shape(self, values: list[Any]) -> _Row:
        raise NotImplementedError

    def _open(self) -> Rows[Any]:
        if self._stopped:
            raise RuntimeError(f"{type(self).__name__}: the iterator was stopped; create a new one.")
        if self._num_epochs != -1 and self._epoch >= self._num_epochs:
            raise RuntimeError(
                f"{type(self).__name__}: all epochs were read; the iterator was created with "
                f"num_epochs={self._num_epochs}, this would be epoch {self._epoch + 1}."
            )
        self._run.begin_epoch(self._epoch)
        rows = self.dataset._rows(self._run, self._epoch, self._step)
        return _ahead(rows, self._prefetch) if self._prefetch else rows

    def _close(self) -> None:
        if (close := getattr(self._rows, "close", None)) is not None:
            close()
        self._rows = None

    def get_col_names(self) -> list[str]:
        """Return the names of the columns of a row."""
        return list(self._names)

    def get_state(self) -> dict[str, int]:
        """Return the position after the last row given: plain numbers, fit for JSON."""
        return {"seed": self._run.seed, "epoch": self._epoch, "step": self._step}

    def set_state(self, state: dict[str, int]) -> None:
        """Continue from a position that `get_state` returned, on this or an equal pipeline.

        Args:
            state (dict): The position.

        Raises:
            ValueError: If `state` has other keys.
        """
        if not isinstance(state, dict) or set(state) != {"seed", "epoch", "step"}:
            raise ValueError(f"{type(self).__name__}.set_state: expected seed, epoch and step, got {describe(state)}.")
        self._close()
        self._run.end()
        self._run = Run(self.dataset, state["seed"], self._run.tuner)
        self._epoch, self._step = state["epoch"], state["step"]

    def stop(self) -> None:
        """End the iteration, its threads and its processes."""
        self._close()
        self._run.end()
        self._stopped = True

    release = stop


class TupleIterator(Iterator[list[_Column]]):
    """Gives each row as a list of columns; made by `Dataset.create_tuple_iterator`."""

    def _shape(self, values: list[Any]) -> list[_Column]:
        return values


class DictIterator(Iterator[dict[str, _Column]]):
    """Gives each row as a dictionary from column name to value; made by `Dataset.create_dict_iterator`."""

    def _shape(self, values: list[Any]) -> dict[str, _Column]:
        return dict(zip(self._names, values, strict=True))


def _ahead(rows: Rows[Any], depth: int) -> Rows[Any]:
    """Yield `rows`, which a thread reads up to `depth` ahead."""
    ready: queue.Queue[tuple[bool, Any]] = queue.Queue(depth)
    ended = threading.Event()

    def put(item: tuple[bool, Any]) -> None:
        while not ended.is_set():
            try:
                return ready.put(item, timeout=0.05)
            except queue.Full:
                pass

    def read() -> None:
        try:
            for row in rows:
                put((True, row))
                if ended.is_set():
                    return
            put((False, None))
        except BaseException as error:  # raised when the row is requested
            put((False, error))

    thread = threading.Thread(target=read, name="dataset-prefetch", daemon=True)
    thread.start()
    try:
        while True:
            more, value = ready.get()
            if more:
                yield value
            elif value is None:
                return
            else:
                raise value
    finally:
        ended.set()
        thread.join(timeout=1)
