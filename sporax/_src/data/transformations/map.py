"""map: applies functions to columns, row by row, or to many rows at once where all operations allow it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, warn_user
from sporax._src.data import checks, config
from sporax._src.data.autotune import Crew
from sporax._src.data.callbacks import DSCallback, check_callbacks
from sporax._src.data.dataset import Dataset, Gather, Row, as_method, skipping
from sporax._src.data.error_samples import ErrorSamplesMode, replacing_failed, skipping_failed
from sporax._src.data.iteration import Run, in_order
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import batched
from sporax._src.data.transforms.choices import Compose
from sporax._src.data.vision.byte_tables import Step, steps
from sporax._src.data.workers.pool import Processes


@dataclass
class Failed:
    """Stands for the values of a row for which an operation raised."""

    text: str


@dataclass
class Call:
    """Calls operations for a row, one after the other; nothing of it refers to the pipeline, so workers can have it.

    Args:
        operations: The operations.
        where: The name of the dataset's operation, for messages.
        is_error: Whether a row for which one raises is an error; its result is a `Failed` otherwise.
        copies: Whether results are copied: a function may give one array for several rows, or for several columns.
    """

    operations: list[Callable[..., Any]]
    where: str
    is_error: bool
    copies: bool = False
    steps: list[Step] = field(init=False)

    def __post_init__(self) -> None:
        self.steps = steps(self.operations)

    def __call__(self, number: int, values: Row) -> Row | Failed:
        operation: Any = None
        try:
            for operations, together in self.steps:
                done = together(values[0]) if together is not None and len(values) == 1 else None
                if done is not None:
                    values = (done,)
                    continue
                for operation in operations:
                    result = operation(*values)
                    if result is None:
                        raise TypeError("it returned None; expected an array or a tuple of arrays")
                    values = result if isinstance(result, tuple) else (result,)
            return tuple([as_array(value, copy=self.copies) for value in values])
        except Exception as error:
            if self.is_error:  # no name here for the error that is raised: it refers to this frame
                raise checks.failed(self.where, operation, number, error) from error
            return Failed(str(checks.failed(self.where, operation, number, error)))


def _chosen(values: Row, places: list[int]) -> Row:
    return tuple([values[place] for place in places])


class MapDataset(Dataset):
    """`input_dataset` with `operations` applied to some columns; made by `Dataset.map`."""

    def __init__(
        self,
        input_dataset: Dataset,
        operations: list[Callable[..., Any]],
        input_columns: list[str] | None = None,
        output_columns: list[str] | None = None,
        num_parallel_workers: int | None = None,
        callbacks: Sequence[DSCallback] = (),
        python_multiprocessing: bool = False,
    ) -> None:
        super().__init__(input_dataset, num_parallel_workers)
        self.operations, self.callbacks = operations, callbacks
        self.python_multiprocessing = python_multiprocessing
        self.input_columns, self.output_columns = input_columns, output_columns

    def _layout(self) -> tuple[list[int], list[str], list[int | str]]:
        """Return the positions of inputs, the names of outputs, and the columns: positions or outputs' names."""
        names = self.children[0]._columns()
        wanted = self.input_columns or names[:1]
        positions = checks.positions("Dataset.map", wanted, names)
        outputs = self.output_columns or wanted
        remaining: list[int | str] = [position for position in range(len(names)) if position not in positions]
        if len(outputs) == len(positions):  # each output takes its input's position
            by_position = dict(zip(positions, outputs, strict=True))
            columns: list[int | str] = [by_position.get(position, position) for position in range(len(names))]
        else:
            columns = [*outputs, *remaining]
        # An output replaces an unused column of the same name.
        columns = [c for c in columns if isinstance(c, str) or names[c] not in outputs]
        return positions, outputs, columns

    def _columns(self) -> list[str]:
        names = self.children[0]._columns()
        return [column if isinstance(column, str) else names[column] for column in self._layout()[2]]

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        positions, outputs, columns = self._layout()
        progress, mode = run.progress(self), config.get_error_samples_mode()
        call: Callable[[int, Row], Row | Failed] = self._call(mode)
        processes, crew = None, Crew(1, 1)
        if progress is not None:
            call = partial(progress.step, call)
        elif not self.callbacks:
            crew = run.crew(self)
            if self.python_multiprocessing:
                processes = run.processes(self, partial(self._processes, mode, crew.workers))

        names = self.children[0]._columns()
        places = [len(names) + outputs.index(c) if isinstance(c, str) else c for c in columns]
        takes_row = positions == list(range(len(names)))
        gives_row = places == list(range(len(names), len(names) + len(outputs)))
        first = start if mode is ErrorSamplesMode.RETURN else 0  # the position of a row depends on the rows before it
        waiting: deque[Row] = deque()  # rows whose results have not come

        def inputs() -> Iterator[Row]:
            for row in self.children[0]._rows(run, epoch, first):
                waiting.append(row)
                yield row if takes_row else _chosen(row, positions)

        def mapped() -> Iterator[Row | None]:
            results = in_order(call, inputs(), first, run.key(self, epoch), crew, processes)
            for number, values in enumerate(results, first):
                row = waiting.popleft()
                if isinstance(values, Failed):
                    how = "replaced" if mode is ErrorSamplesMode.REPLACE else "left out"
                    warn_user(f"{values.text} (the row is {how})")
                    yield None
                    continue
                if len(values) != len(outputs):
                    raise self._other_count(number, values, outputs)
                yield values if gives_row else _chosen((*row, *values), places)

        if mode is ErrorSamplesMode.RETURN:
            return mapped()  # type: ignore[return-value]
        return skipping((skipping_failed if mode is ErrorSamplesMode.SKIP else replacing_failed)(mapped()), start)

    def _call(self, mode: ErrorSamplesMode) -> Call:
        copies = not all(_is_ours(operation) for operation in self.operations)
        return Call(self.operations, self._where(), mode is ErrorSamplesMode.RETURN, copies)

    def _where(self) -> str:
        return f"Dataset.map(input_columns={self.input_columns})"

    def _processes(self, mode: ErrorSamplesMode, workers: int) -> Processes:
        user = self.operations[0] if len(self.operations) == 1 else self.operations
        return Processes(self._where(), workers, replace(self._call(mode), copies=True), user)

    def _other_count(self, number: int, values: Row, outputs: list[str]) -> RuntimeError:
        return RuntimeError(
            f"Dataset.map: {checks.called(self.operations[-1])} returned {len(values)} columns at row {number}, but "
            f"output_columns has {len(outputs)}: {outputs}."
        )

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        functions = [batched(operation) for operation in self.operations]
        one_by_one = self.callbacks or config.get_error_samples_mode() is not ErrorSamplesMode.RETURN
        if one_by_one or any(function is None for function in functions):
            return None
        gather = self.children[0]._gather(run, epoch)
        positions, outputs, columns = self._layout()
        if gather is None or len(positions) != 1 or len(outputs) != 1:
            return None

        def mapped(rows: np.ndarray) -> Row:
            gathered = gather(rows)
            value = gathered[positions[0]]
            for function, operation in zip(functions, self.operations, strict=True):
                try:
                    value = function(value)
                except Exception as error:
                    raise checks.failed(self._where(), operation, int(rows[0]), error) from error
            return tuple(value if isinstance(column, str) else gathered[column] for column in columns)

        return mapped


@as_method
def map(
    self: Dataset,
    operations: object,
    input_columns: str | list[str] | None = None,
    output_columns: str | list[str] | None = None,
    column_order: None = None,
    num_parallel_workers: int | None = None,
    python_multiprocessing: bool = False,
    max_rowsize: object = None,
    cache: object = None,
    callbacks: object = None,
    offload: bool | None = None,
    **kwargs: object,
) -> Dataset:
    """Return this dataset with `operations` applied, one after the other, to `input_columns` of every row.

    An operation takes the columns as arrays, one argument each, and returns one value or a tuple of values, which
    the next operation takes. As many outputs as inputs take the inputs' positions; otherwise outputs come first.

    Args:
        operations (Union[Callable, list[Callable]]): The operations.
        input_columns (Union[str, list[str]], optional): What the first one takes. Default: the first column.
        output_columns (Union[str, list[str]], optional): The names of the results of the last one.
            Default: the names of `input_columns`.
        column_order (None): Removed in MindSpore 2; use `project`.
        num_parallel_workers (int, optional): How many workers call the operations. Default: the configured number.
        python_multiprocessing (bool): Whether the workers are processes, for operations that compute in Python. Operations that
            take many rows at once stay in the program. Default: ``False``, threads.
        max_rowsize (optional): Not used: memory between processes grows as rows need. `cache` and `offload` are ignored.
        callbacks (Union[DSCallback, list[DSCallback]], optional): The callbacks for epochs and rows while an iterator
            reads; the operations are called on one thread then. Default: ``None``.

    In a process, `random` and `numpy.random` are seeded for each row: what an operation draws there depends on the seed and the
    row, not on the worker. Operators, Tensors and JAX are not there.

    Where an operation raises, `config.set_error_samples_mode` says whether that is an error, the row is replaced by
    another one of the epoch, or it is left out; the size of the dataset is then that of its input all the same.

    Raises:
        TypeError: If a column name is not a str, a callback is not a DSCallback, or there is an argument of another name.
        AttributeError: If a callback overrides no event.
        ValueError: If an operation is not callable or `column_order` is given.
        RuntimeError: If there are no operations; while iterating, if a column does not exist, an operation raises
            or returns None, the number of outputs is wrong, operations cannot be sent to a worker process, or such a process
            ends or takes too long for a row.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset({"a": [1, 2], "b": [3, 4]}, shuffle=False)
        >>> data = data.map(lambda a, b: (a + b, a * b), ["a", "b"], ["sum", "product"])
        >>> [row["product"].item() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
        [3, 8]
    """
    checks.no_more("Dataset.map", kwargs)
    if column_order is not None:
        raise ValueError("Dataset.map: column_order was removed; call .project(columns) after map instead.")
    listed = _flat(list(operations) if isinstance(operations, (list, tuple)) else [operations])
    if not listed:
        raise RuntimeError("Dataset.map: operations must hold at least one operation, got none.")
    for position, operation in enumerate(listed):
        if not callable(operation):
            raise ValueError(f"Dataset.map: operations[{position}] must be callable, got {describe(operation)}.")
        if isinstance(operation, type) and operation.__module__.startswith("sporax."):
            raise ValueError(
                f"Dataset.map: operations[{position}] must be callable, got the class {operation.__name__}; write "
                f"{operation.__name__}() with its arguments."
            )
    if input_columns is not None:
        input_columns = checks.columns("Dataset.map", "input_columns", input_columns)
    if output_columns is not None:
        output_columns = checks.columns("Dataset.map", "output_columns", output_columns)
    checked = check_callbacks("Dataset.map", callbacks)
    processes = checks.multiprocessing("Dataset.map", python_multiprocessing, max_rowsize)
    return MapDataset(self, listed, input_columns, output_columns, num_parallel_workers, checked, processes)


def _is_ours(operation: object) -> bool:
    """Return whether an operation is of this package, with all that it calls: none of these gives one array twice."""
    inner = getattr(operation, "transforms", ())
    return type(operation).__module__.startswith("sporax.") and all(_is_ours(part) for part in inner)


def _flat(operations: list[Any]) -> list[Any]:
    """Return `operations` with every Compose replaced by its parts, so that errors name the part."""
    flat = []
    for operation in operations:
        flat.extend(_flat(operation.transforms) if type(operation) is Compose else [operation])
    return flat
