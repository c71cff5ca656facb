"""Plans of index expressions: a static plan for a shape, and the operands that vary from call to call.

`x[i, 2:4, None, t]` has four entries. The kind, length and step of an entry are static: they belong to the plan, which
is a key of compiled kernels. The start of an entry is an operand. So `x[i]` and `x[i : i + n]` in a loop compile once.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

import numpy as np

from sporax._src.base.jax_compat import is_variable_size, remove_weak_type
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.core.traced_number import TracedNumber


class Item(NamedTuple):
    """One entry of an index expression.

    Attributes:
        kind: "all" (the whole axis), "new" (a new axis), "int", "slice", or "array" (integer indices).
        length: The number of elements a slice selects.
        step: The step of a slice.
    """

    kind: str
    length: int = 0
    step: int = 1


ALL, NEW, INT, ARRAY, TRUE = Item("all"), Item("new"), Item("int"), Item("array"), Item("true")


class Plan(NamedTuple):
    """A static plan: hashable, the key of the cache of kernels."""

    items: tuple[Item, ...]

    @property
    def has_arrays(self) -> bool:
        """Whether index Tensors select elements."""
        return ARRAY in self.items

    @property
    def picks(self) -> bool:
        """Whether operands select the elements of an axis."""
        return ARRAY in self.items or INT in self.items

    @property
    def operands(self) -> int:
        """How many operands the expression has."""
        return sum(item not in (ALL, NEW) for item in self.items)


class Nothing(Exception):
    """The index selects nothing: an assignment to it does nothing."""


def plan(shape: tuple[int, ...], index: object) -> tuple[Plan, list[Any]]:
    """Return the plan of an index expression on a Tensor of `shape`, and its operands.

    Raises:
        IndexError: If the expression is not an index, has too many entries, or an integer is out of range.
        ValueError: If a mask does not fit its axes, or a step is 0.
        Nothing: If it is False or an empty list.
    """
    entries = _expand(shape, _as_tuple(index))
    items: list[Item] = []
    operands: list[Any] = []
    axis = 0
    for entry in entries:
        axis += _add(items, operands, shape, axis, entry)
    items += [ALL] * (len(shape) - axis)
    arrays = ARRAY in items  # among index Tensors True is an index of no axis, elsewhere a new axis
    return Plan(tuple([NEW if i == TRUE else i for i in items if not (arrays and i == TRUE)])), operands


# --- to one entry per axis ------------------------------------------------------------------------------------------


def _as_tuple(index: object) -> tuple[Any, ...]:
    if isinstance(index, tuple):
        return tuple([_plain(i) for i in index])
    if isinstance(index, list) and any(_is_position(i) for i in index):
        return tuple([_plain(i) for i in index])  # MindSpore reads a list of sequences as a tuple
    return (_plain(index),)


def _is_position(item: object) -> bool:
    return isinstance(item, (list, tuple, slice, Tensor, np.ndarray)) or item is None or item is Ellipsis


def _plain(index: object) -> Any:
    """Return an entry as None, an Ellipsis, a bool, an int, a slice, an integer array, or an integer or bool Tensor."""
    if _is_traced(index) and index._kind is int:  # one graph serves all positions
        return _as_index(index)
    if index is None or index is Ellipsis or isinstance(index, (bool, int, slice)) or is_variable_size(index):
        return index
    if isinstance(index, np.bool_):
        return bool(index)
    if isinstance(index, np.integer):
        return int(index)
    if isinstance(index, (list, tuple)):
        if not index:
            raise Nothing("When a Tensor is indexed by a list, the list must not be empty.")
        index = np.asarray([i.asnumpy() if isinstance(i, Tensor) else i for i in index])
        if index.dtype == np.bool_ and not index.any():
            raise Nothing("When a Tensor is indexed by a list, the list must not be of False only.")
    if isinstance(index, np.ndarray):
        if index.dtype.kind in "iu":
            return index  # its values are known: `_add`, which knows the axis, checks them
        index = Tensor(index)
    if isinstance(index, Tensor):
        return _checked(index)
    raise IndexError(
        "indices must be ints, slices, `...`, None, bools, Tensors, lists or tuples, "
        f"got {type(index).__name__}: {index!r:.60}."
    )


def _is_traced(index: object) -> TypeGuard[TracedNumber]:
    return issubclass(type(index), TracedNumber)  # `isinstance` takes it for an int


def _as_index(number: TracedNumber) -> Tensor:
    return wrap(remove_weak_type(number._data))


def _checked(index: Tensor) -> Any:
    kind = index._data.dtype.kind
    if kind not in "iub":
        raise IndexError(f"index Tensors must have an integer or bool dtype, got {index.dtype}.")
    return bool(index) if kind == "b" and not index.shape else index


def _is_mask(entry: object) -> TypeGuard[Tensor]:
    return isinstance(entry, Tensor) and entry._data.dtype.kind == "b"


def _axes_of(entry: object) -> int:
    """Return how many axes of the Tensor an entry indexes."""
    if entry is None or isinstance(entry, bool):
        return 0
    return entry.ndim if _is_mask(entry) else 1


def _expand(shape: tuple[int, ...], entries: tuple[Any, ...]) -> list[Any]:
    """Return the entries with `...` replaced by the full slices it stands for."""
    dots = [n for n, p in enumerate(entries) if p is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can have only one ellipsis ('...').")
    used = sum(_axes_of(p) for p in entries if p is not Ellipsis)
    if used > len(shape):
        raise IndexError(f"too many indices: the Tensor has {len(shape)} axes, got indices for {used}.")
    if not dots:
        return list(entries)
    return [*entries[: dots[0]], *[slice(None)] * (len(shape) - used), *entries[dots[0] + 1 :]]


# --- one entry ------------------------------------------------------------------------------------------------------


def _add(items: list[Item], operands: list[Any], shape: tuple[int, ...], axis: int, entry: Any) -> int:
    """Append the items and operands of an entry, and return the number of axes it indexes."""
    if entry is None or entry is True:
        items.append(NEW if entry is None else TRUE)
        return 0
    if entry is False:
        raise Nothing("A Tensor can not be read at the index False.")
    if isinstance(entry, slice):
        _add_slice(items, operands, shape[axis], entry)
    elif isinstance(entry, int) or is_variable_size(entry):
        items.append(INT)
        operands.append(position(entry, shape, axis))
    elif _is_mask(entry):
        return _add_mask(items, operands, shape, axis, entry)
    else:
        if isinstance(entry, np.ndarray):
            for i in entry.flat:
                position(int(i), shape, axis)
            entry = Tensor(entry)
        items.append(ARRAY if entry.shape else INT)
        operands.append(entry)
    return 1


def position(index: int, shape: tuple[int, ...], axis: int) -> int:
    """Return an integer index counted from the start of its axis.

    Raises:
        IndexError: If it is out of range.
    """
    size = shape[axis]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension with size {size} (axis {axis}).")
    return index if index >= 0 else index + size


def _add_slice(items: list[Item], operands: list[Any], size: int, entry: slice) -> None:
    if entry.step is not None and int(entry.step) == 0:
        raise ValueError("the step of a slice must not be 0.")
    if _moves(entry):
        _add_moving_slice(items, operands, size, entry)
        return
    if any(map(is_variable_size, (size, entry.start, entry.stop))) and entry.step in (None, 1):
        _add_sized_slice(items, operands, size, entry)
        return
    chosen = range(size)[slice(*[None if v is None else int(v) for v in (entry.start, entry.stop, entry.step)])]
    if len(chosen) == size and chosen.step == 1:
        items.append(ALL)
        return
    items.append(Item("slice", len(chosen), chosen.step if len(chosen) > 1 else 1))
    operands.append(min(chosen[0], chosen[-1]) if len(chosen) else 0)


def _add_sized_slice(items: list[Item], operands: list[Any], size: Any, entry: slice) -> None:
    """Add a slice with variable sizes; comparisons decide whether a bound lies within the axis."""

    def within(bound: Any) -> Any:
        bound = bound + size if bound < 0 else bound
        return 0 if bound < 0 else size if bound > size else bound

    start = 0 if entry.start is None else within(entry.start)
    stop = size if entry.stop is None else within(entry.stop)
    length = stop - start if stop > start else 0
    items.append(ALL if length == size else Item("slice", length))
    operands.extend([] if length == size else [start])


def _moves(entry: slice) -> bool:
    """Return whether the start of a slice is an argument, and its length and step are known."""
    length = entry.stop.distance(entry.start) if type(entry.stop) is TracedNumber else None
    return length is not None and length > 0 and (entry.step is None or (type(entry.step) is int and entry.step > 0))


def _add_moving_slice(items: list[Item], operands: list[Any], size: int, entry: slice) -> None:
    """Add a slice for which one graph serves all starts at which it lies within the axis."""
    length, step = entry.stop.distance(entry.start), entry.step or 1
    entry.start.must_be(0, size - length)
    items.append(Item("slice", len(range(0, length, step)), step))
    operands.append(_as_index(entry.start))


def _add_mask(items: list[Item], operands: list[Any], shape: tuple[int, ...], axis: int, mask: Tensor) -> int:
    for d, n in enumerate(mask.shape):
        if n != shape[axis + d]:
            raise ValueError(f"the mask has size {n} where axis {axis + d} of the Tensor has size {shape[axis + d]}.")
    for coordinates in np.nonzero(mask.asnumpy()):
        items.append(ARRAY)
        operands.append(Tensor(coordinates))
    return mask.ndim


def whole_mask(shape: tuple[int, ...], index: object) -> Tensor | None:
    """Return the mask if the index is one bool Tensor (or list, array) over leading axes, and nothing else."""
    if isinstance(index, tuple) and len(index) == 1:
        index = index[0]
    if isinstance(index, np.ndarray) and index.dtype == np.bool_:
        index = Tensor(index)
    if _is_mask(index) and index.ndim and index.shape == shape[: index.ndim]:
        return index
    return None
