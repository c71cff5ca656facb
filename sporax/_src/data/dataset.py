"""Dataset, the node of a pipeline: the interface of every node, and the methods of users.

A node has four properties, always for one epoch of one `Run`: its columns, its size, its rows from row `start` on, and,
if its rows are arrays in memory, a function that gathers many rows at once. Transformations live one per file in
`transformations/`; `as_method` binds their functions to the class.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np

from sporax._src.data import checks, config
from sporax._src.data.callbacks import DSCallback
from sporax._src.data.iteration import Run
from sporax._src.data.iterator import DictIterator, TupleIterator

if TYPE_CHECKING:  # `as_method` binds the functions of the transformations to Dataset
    from sporax._src.data.dataset_methods import DatasetMethods as _Methods
    from sporax._src.data.dataset_methods import Tensor
else:
    _Methods = object

Row = tuple[Any, ...]
Gather = Callable[[np.ndarray], Row]
_AT_ONCE = 1 << 18  # bytes


class Counting(Run):
    """A run that only counts rows: nothing waits for the program."""


class Dataset(_Methods):
    """A pipeline of rows: sources create one, transformations return a new one, and iterators read it.

    Args:
        children (Union[Dataset, list[Dataset]], optional): The datasets it reads from.
        num_parallel_workers (int, optional): How many workers its functions may use. Default: the configured number.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If `num_parallel_workers` is not an int.
        ValueError: If `num_parallel_workers` is not positive.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["a"], shuffle=False).batch(2)
        >>> isinstance(data, ds.Dataset), data.get_dataset_size(), data.get_col_names()
        (True, 2, ['a'])
    """

    callbacks: Sequence[DSCallback] = ()
    _made_by: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
    _input_indexs: Any = ()

    def __init__(self, children: Any = None, num_parallel_workers: int | None = None, cache: object = None) -> None:
        checks.workers(type(self).__name__, num_parallel_workers)
        self.children: list[Dataset] = [children] if isinstance(children, Dataset) else list(children or [])
        self.parent: list[weakref.ref[Dataset]] = []
        self.num_parallel_workers = num_parallel_workers or config.get_num_parallel_workers()
        self.dataset_size: int | None = None  # known after the first request
        self._counted: int | None = None
        self._init_step = 0
        for child in self.children:
            child.parent.append(weakref.ref(self))
        if self.is_sync():
            self.num_parallel_workers = 1  # threads would read rows ahead, which wait for those before

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        made = super().__new__(cls)
        made._made_by = args, kwargs  # for `serialize`
        return made

    # The interface of a node; the defaults are those of a transformation that does not change its child's rows.

    def _columns(self) -> list[str]:
        return self.children[0]._columns()

    def _static_size(self) -> int | None:
        """Return the rows per epoch, or None if they must be counted."""
        return self.children[0]._static_size()

    def _varies(self) -> bool:
        """Return whether epochs may have other numbers of rows than `_static_size`, which is that without shuffling."""
        return any(child._varies() for child in self.children)

    def _fixed_size(self) -> int | None:
        """Return the rows of each epoch, or None if an epoch must be read to know."""
        return None if self._varies() else self._static_size()

    def _is_endless(self) -> bool:
        """Return whether an epoch never ends; its size is then that of one pass, as in MindSpore."""
        return any(child._is_endless() for child in self.children)

    def _is_unsized(self) -> bool:
        """Return whether the source cannot tell how many rows an epoch has, if there is an end at all."""
        return any(child._is_unsized() for child in self.children)

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        """Yield the rows of `epoch` from row `start` on."""
        raise NotImplementedError(f"{type(self).__name__} must define _rows.")

    def _lent_rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        """Yield rows for a caller that changes none, and has copied one before it asks for the next."""
        return self._rows(run, epoch, start)

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        """Return a function from row numbers to stacked columns, or None if rows can only be read one by one."""
        return None

    def _size(self) -> int:
        size = self._static_size()
        if size is not None:
            return size
        if self._counted is None:
            self._counted = sum(1 for _ in self._rows(Counting(self), 0))
        return self._counted

    def _first(self) -> Row | None:
        rows = self._rows(Run(self), 0)
        return next(rows, None)

    def _delegate(self, method: str) -> Any:
        """Return the result of the first child, as most transformations do; None without a child."""
        return getattr(self.children[0], method)() if self.children else None

    def _replace_sampler(self, sampler: Any) -> bool:
        """Let `sampler` choose among all rows, if this is a source whose rows have numbers; return whether it is."""
        return False

    # Properties.

    def get_col_names(self) -> list[str]:
        """Return the names of the columns, in order."""
        return list(self._columns())

    def get_dataset_size(self) -> int:
        """Return the number of rows of one epoch; `filter`, `flat_map` and iterables are counted once."""
        self.dataset_size = self._size()
        return self.dataset_size

    def __len__(self) -> int:
        return self.get_dataset_size()

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """Return the shape of each column, from the first row; an empty list if there are no rows.

        Args:
            estimate (bool): Whether to read every row and give ``None`` for axes that vary.

        Raises:
            TypeError: If `estimate` is not a bool.
            RuntimeError: If the ranks of a column differ.
        """
        checks.boolean("Dataset.output_shapes", "estimate", estimate)
        rows = self._rows(Run(self), 0) if estimate else iter([self._first() or ()])
        shapes: list[list[int | None]] = []
        for row in rows:
            here = [list(np.shape(value)) for value in row]
            shapes = [_merged(*pair) for pair in zip(shapes, here, strict=True)] if shapes else list(here)
        return shapes

    def output_types(self) -> list[Any]:
        """Return the NumPy type of each column, from the first row; an empty list if there are no rows."""
        return [getattr(value, "dtype", type(value)) for value in self._first() or ()]

    def get_batch_size(self) -> int:
        """Return the rows per batch: 1 without `batch`, -1 if batches vary."""
        size = self._delegate("get_batch_size")
        return 1 if size is None else size

    def get_repeat_count(self) -> int:
        """Return the count of the last `repeat`, 1 without one, -1 for endless."""
        count = self._delegate("get_repeat_count")
        return 1 if count is None else count

    def num_classes(self) -> int | None:
        """Return the number of classes, if the source has classes."""
        return self._delegate("num_classes")

    def get_class_indexing(self) -> dict[str, Any]:
        """Return the map from class names to labels, if the source has one."""
        return self._delegate("get_class_indexing") or {}

    def is_shuffled(self) -> bool:
        """Return whether any dataset below gives its rows in random order."""
        return any(child.is_shuffled() for child in self.children)

    def _is_shuffled_anew(self) -> bool:
        """Return whether the rows of a part of an epoch are others in each epoch."""
        return any(child._is_shuffled_anew() for child in self.children) if self.children else self.is_shuffled()

    def is_sharded(self) -> bool:
        """Return whether any dataset below gives only a share of its rows."""
        return any(child.is_sharded() for child in self.children)

    def is_sync(self) -> bool:
        """Return whether rows of a dataset below wait for `sync_update`."""
        return any(child.is_sync() for child in self.children)

    @property
    def input_indexs(self) -> Any:
        """The value that a program has set on this dataset or, if none, on one below; ``()`` without one."""
        if self._input_indexs != ():
            return self._input_indexs
        return next((child.input_indexs for child in self.children if child.input_indexs != ()), ())

    @input_indexs.setter
    def input_indexs(self, value: object) -> None:
        self._input_indexs = value

    # Iteration.

    @overload
    def create_tuple_iterator(
        self,
        columns: str | list[str] | None = None,
        num_epochs: int = -1,
        output_numpy: Literal[False] = False,
        do_copy: bool = False,
        *,
        prefetch: int = 0,
    ) -> TupleIterator[Tensor]: ...
    @overload
    def create_tuple_iterator(
        self,
        columns: str | list[str] | None = None,
        num_epochs: int = -1,
        *,
        output_numpy: Literal[True],
        do_copy: bool = False,
        prefetch: int = 0,
    ) -> TupleIterator[np.ndarray]: ...
    @overload
    def create_tuple_iterator(
        self,
        columns: str | list[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
        *,
        prefetch: int = 0,
    ) -> TupleIterator[Any]: ...
    def create_tuple_iterator(
        self,
        columns: str | list[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
        *,
        prefetch: int = 0,
    ) -> TupleIterator[Any]:
        """Return an iterator whose rows are lists, one Tensor per column.

        Args:
            columns (Union[str, list[str]], optional): The columns to give. Default: all.
            num_epochs (int): How many times it can be iterated; -1 for any number. Random orders differ by epoch.
            output_numpy (bool): Whether to give NumPy arrays.
            do_copy (bool): Accepted; rows are never shared with a source.
            prefetch (int): How many rows a thread reads ahead. Default: ``0``, none.

        Raises:
            TypeError: If an argument has the wrong type.
            RuntimeError: If a column does not exist or `num_epochs` is neither -1 nor positive.

        Examples:
            >>> import sporax.dataset as ds
            >>> data = ds.NumpySlicesDataset({"a": [1, 2], "b": [3, 4]}, shuffle=False)
            >>> [row[0].item() for row in data.create_tuple_iterator(["b"], num_epochs=1, output_numpy=True)]
            [3, 4]
        """
        return TupleIterator(self, columns, num_epochs, output_numpy, do_copy, prefetch=prefetch)

    @overload
    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: Literal[False] = False, do_copy: bool = False, *, prefetch: int = 0
    ) -> DictIterator[Tensor]: ...
    @overload
    def create_dict_iterator(
        self, num_epochs: int = -1, *, output_numpy: Literal[True], do_copy: bool = False, prefetch: int = 0
    ) -> DictIterator[np.ndarray]: ...
    @overload
    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False, *, prefetch: int = 0
    ) -> DictIterator[Any]: ...
    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False, *, prefetch: int = 0
    ) -> DictIterator[Any]:
        """Return an iterator whose rows are dictionaries from column name to Tensor.

        Args:
            num_epochs (int): How many times it can be iterated; -1 for any number. Random orders differ by epoch.
            output_numpy (bool): Whether to give NumPy arrays.
            do_copy (bool): Accepted; rows are never shared with a source.
            prefetch (int): How many rows a thread reads ahead. Default: ``0``, none.

        Raises:
            TypeError: If an argument has the wrong type.
            RuntimeError: If `num_epochs` is neither -1 nor positive.

        Examples:
            >>> import sporax.dataset as ds
            >>> data = ds.NumpySlicesDataset({"a": [1, 2]}, shuffle=False)
            >>> [row["a"].item() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
            [1, 2]
        """
        return DictIterator(self, None, num_epochs, output_numpy, do_copy, prefetch=prefetch)

    def __iter__(self) -> TupleIterator[Tensor]:
        return self.create_tuple_iterator(num_epochs=1)

    def reset(self) -> None:
        """Do nothing: every iterator starts at the first row."""

    def close_pool(self) -> None:
        """Do nothing: the threads and processes of an iterator end with it."""

    def set_init_step(self, init_step: int) -> None:
        """Make the next iterators start at row `init_step`, counted over epochs."""
        self._init_step = checks.integer("Dataset.set_init_step", "init_step", init_step, 0)

    def get_init_step(self) -> int:
        """Return the step that `set_init_step` set, else 0."""
        return self._init_step

    def __add__(self, datasets: object) -> Dataset:
        return self.concat(datasets)


def as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Bind a transformation's function onto `Dataset` under its own name."""
    name = function.__name__.removesuffix("_method")
    function.__qualname__ = f"Dataset.{name}"
    setattr(Dataset, name, function)
    return function


def rows_by_gather(gather: Gather, size: int, start: int) -> Iterator[Row]:
    """Yield single rows with `gather`: small rows are fetched many at a time, and large ones one by one."""
    if start >= size:
        return
    first = gather(np.arange(start, start + 1))
    at_once = max(min(_AT_ONCE // max(sum(column.nbytes for column in first), 1), 256), 1)
    yield from _single(first)
    for low in range(start + 1, size, at_once):
        yield from _single(gather(np.arange(low, min(low + at_once, size))))


def _single(columns: Row) -> Iterator[Row]:
    # A scalar row is an array of rank 0, as everywhere, not a NumPy scalar.
    parts = [column if column.ndim > 1 else (np.asarray(value) for value in column) for column in columns]
    return zip(*parts, strict=True)


def skipping(rows: Iterator[Row], start: int) -> Iterator[Row]:
    """Return `rows` without the first `start`, for datasets that can only be read in order."""
    return islice(rows, start, None)


def _merged(left: list[int | None], right: list[int]) -> list[int | None]:
    if len(left) != len(right):
        raise RuntimeError(f"Dataset.output_shapes: a column has rows of rank {len(left)} and {len(right)}.")
    return [a if a == b else None for a, b in zip(left, right, strict=True)]
