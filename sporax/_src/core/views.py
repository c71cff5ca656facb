"""Views: Tensors that show elements of another one. Writing into either changes both.

JAX's arrays are values, so a view has an array of its own and remembers what made it: an operator that only moves elements,
and the operands of which the first is its source. A source knows its views by weak references, a view holds its source.

- What is written into a view is put back into its source, and so on up to the root, which is no view.
- When a root changes, all its views become stale. A stale view has no value; who reads it next reads it anew from its source.

So nothing is done for views before something is written, and what reads a Tensor does not ask whether it is one. The gradient
of a write, and the same in a graph, follow: putting back and reading anew are operators like any others.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias
from weakref import ref

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core.execution import current
from sporax._src.core.tape import is_recording, watched

Tensor: TypeAlias = Any  # `core.tensor`, which stands on this module, has the class


class Mover(Protocol):
    """An operator that only moves elements: each element of a result is one of its first operand."""

    def read(self, operands: Sequence[Any], index: int) -> Tensor:
        """Return result number `index`."""
        ...

    def put_back(self, operands: Sequence[Any], index: int, value: Tensor) -> Tensor:
        """Return the first operand with a value where result number `index` shows it."""
        ...

    def put_at(self, target: Tensor, indices: Tensor, value: Tensor) -> Tensor:
        """Return a Tensor with a value at places counted in row-major order."""
        ...

    def strided(self, operands: Sequence[Any], index: int, memory: np.ndarray) -> np.ndarray | None:
        """Return how result number `index` lies in memory in which the first operand lies so; None if it needs a copy."""
        ...


_pruning = threading.Lock()


def link(results: Any, mover: Mover, operands: Sequence[Any]) -> Any:
    """Make what an operator has made of operands, a Tensor or a tuple of them, views of the first operand; return it."""
    source = operands[0]
    try:
        views = source._views
    except AttributeError:  # a number, or an array that is no Tensor
        return results
    if views is None:
        views = source.__dict__.setdefault("_views", [])
    if results.__class__ is not tuple:
        results._view = (mover, operands, 0)
        if len(views) in _PRUNED_AT:
            _prune(views)
        views.append(ref(results))
        return results
    count = len(views) + len(results)
    if count > 32 and len(views).bit_length() < count.bit_length():
        _prune(views)
    for i, view in enumerate(results):
        view._view = (mover, operands, i)
        views.append(ref(view))
    return results


_PRUNED_AT = frozenset(2**n for n in range(5, 60))  # those that are gone are dropped when twice as many have been added


def _prune(views: list[Any]) -> None:
    """Drop the views that are gone; others may be added meanwhile by other threads."""
    with _pruning:
        count = len(views)
        views[:count] = [view for view in views[:count] if view() is not None]


def root_of(tensor: Tensor) -> Tensor:
    """Return the Tensor that a view shows elements of; a Tensor that is no view itself."""
    while tensor._view is not None:
        tensor = tensor._view[1][0]
    return tensor


def has_views(tensor: Tensor) -> bool:
    """Tell whether somebody holds a view of a Tensor."""
    return tensor._views is not None and bool(_living(tensor))


def read(view: Tensor) -> Tensor:
    """Return what a stale view shows."""
    mover, operands, index = view._view
    return mover.read(operands, index)


def stays(view: Tensor) -> bool:
    """Tell whether what a stale view shows now may be its value from now on.

    Not within a trace, which may end without having written the source; and not where a gradient that is being taken would
    not know of it.
    """
    return current.get().scope is None and (is_recording() or not watched(view._view[1][0]))


# --- where the elements lie -------------------------------------------------------------------------------------------


def layout(tensor: Tensor) -> np.ndarray:
    """Return an array whose strides say how the elements of a Tensor lie in memory; nobody may look at its elements."""
    memory = None if tensor._view is None else _layout_of_view(tensor)
    if memory is None:
        shape, unit = tensor._data.shape, _unit(tensor)
        steps = [unit * math.prod(shape[i + 1 :]) for i in range(len(shape))]
        memory = np.lib.stride_tricks.as_strided(np.empty(1, np.int8 if unit == 1 else np.int16), shape, steps)
    return memory


def _unit(tensor: Tensor) -> int:
    """Return what the strides of a layout count an element as: a complex one consists of two."""
    return 2 if tensor._data.dtype.kind == "c" else 1


def _layout_of_view(view: Tensor) -> np.ndarray | None:
    mover, operands, index = view._view
    return mover.strided(operands, index, layout(operands[0]))


def strides(tensor: Tensor) -> list[int]:
    """Return how many elements of memory lie from one element to the next along each axis."""
    unit = _unit(tensor)
    return [stride // unit for stride in layout(tensor).strides]


def offset(tensor: Tensor) -> int:
    """Return which element of its root is the first of a view; 0 for what is none."""
    path = _path(tensor, tensor)
    if not path or not tensor.size:
        return 0
    return int(_element_indices(path[-1]._view[1][0], path).asnumpy().flat[0])


def is_contiguous(tensor: Tensor) -> bool:
    """Tell whether the elements of a Tensor lie in row-major order, one behind the other."""
    memory = layout(tensor)
    step = _unit(tensor)
    for size, stride in zip(reversed(memory.shape), reversed(memory.strides), strict=True):
        if size != 1 and stride != step:
            return memory.size == 0
        step *= size
    return True


def _is_copy(view: Tensor) -> bool:
    """Tell whether a Tensor that may be a view is none: its elements could not lie as it needs them."""
    source = view._view[1][0]
    if _layout_of_view(view) is None:
        return True
    # Mixed precision casts what operators are given.
    return "_data" in view.__dict__ and view.dtype != source.dtype and source._data.dtype.kind != "c"


def _overlaps(view: Tensor) -> bool:
    memory = layout(view)
    return any(stride == 0 and size > 1 for size, stride in zip(memory.shape, memory.strides, strict=True))


def overlaps(tensor: Tensor) -> bool:
    """Tell whether several elements of a Tensor are one element of memory."""
    return tensor._view is not None and not _is_copy(tensor) and _overlaps(tensor)


# --- writing ------------------------------------------------------------------------------------------------------------


def check_writable(tensor: Tensor, what: str) -> None:
    """Raise unless a Tensor may be written in place.

    Args:
        tensor: The Tensor.
        what: What writes.

    Raises:
        RuntimeError: If several of its elements are one element of memory, or a gradient is being taken by it, or by what it is a
            view of. (What is written into a Parameter takes its place in the gradient, as in MindSpore.)
    """
    check_overlap(tensor, what)
    check_leaf(tensor, what)


def check_overlap(tensor: Tensor, what: str) -> None:
    """Raise a RuntimeError if several elements of what `what` writes are one element of memory."""
    if overlaps(tensor):
        raise RuntimeError(
            f"{what}: {describe(tensor)} is a view of which several elements are one element of memory (broadcast_to and "
            "expand make such views). Write into a copy of it: x.copy()."
        )


def check_leaf(tensor: Tensor, what: str) -> None:
    """Raise a RuntimeError if a gradient is being taken by what `what` writes, or by what that is a view of."""
    if not is_recording():
        return
    root = root_of(tensor)
    leaf = root._node[0].input if watched(root) else None
    if leaf is not None and leaf() is root:
        raise RuntimeError(
            f"{what}: {describe(tensor)} is {'' if root is tensor else 'a view of '}an input by which a gradient is being "
            "taken; it cannot be written in place. Write into a copy of it: x = x.copy()."
        )


def write_in_place(tensor: Tensor, value: Tensor, what: str, may_overlap: bool = False) -> Tensor:
    """Let a Tensor take over a value that `what` writes, and return it; raise where `check_writable` does.

    Args:
        tensor: The Tensor.
        value: The value.
        what: What writes.
        may_overlap: Whether several elements of the Tensor may be one element of memory, as for what writes one value everywhere.
    """
    if not may_overlap:
        check_overlap(tensor, what)
    check_leaf(tensor, what)
    return tensor._rebind(value)


def write(view: Tensor, value: Tensor) -> None:
    """Let a view take over a value, and with it the Tensor that it is a view of."""
    path = _path(view, value)
    if not path:
        view._rebind(value)
        return
    source = path[-1]._view[1][0]
    if any(map(_overlaps, path)):
        now = [(view, value)]
        value = path[0]._view[0].put_at(source, _element_indices(source, path), value)
    else:
        now = []
        for part in path:
            now.append((part, value))
            mover, operands, index = part._view
            value = mover.put_back(operands, index, value)
    source._rebind(value)
    if current.get().scope is None:
        for part, array in now:
            part._fill(array)


def _path(view: Tensor, value: Tensor) -> list[Tensor]:
    """Return a view, what it is a view of, and so on without the root; nothing if it is no view of a value's form."""
    if value._data.shape != view._data.shape or value._data.dtype != view._data.dtype:
        detach(view)
    path: list[Tensor] = []
    while view._view is not None:
        if _is_copy(view):
            detach(view)
            break
        path.append(view)
        view = view._view[1][0]
    return path


def _element_indices(root: Tensor, path: Sequence[Tensor]) -> Tensor:
    """Return which element of the root each element of a view is."""
    indices = root.from_numpy(np.arange(root.size).reshape(root.shape))
    for part in reversed(path):
        mover, operands, index = part._view
        indices = mover.read((indices, *operands[1:]), index)
    return indices


def before_write(source: Tensor, value: Any) -> None:
    """Prepare the views of a Tensor for a value that it takes over: they read it anew, or keep theirs if it has another form."""
    views, old = source._views, source._data
    if views is None:
        return
    if value.shape == old.shape and value.dtype == old.dtype:
        make_stale(source)
        return
    for view in _living(source):
        detach(view)
    source.__dict__.pop("_views", None)


def _living(source: Tensor) -> list[Tensor]:
    """Return the views of a Tensor that are there."""
    views = source._views
    if not views:
        return []
    alive = [view for view in [ref() for ref in list(views)] if view is not None]
    if len(alive) < len(views):
        _prune(views)
    return [view for view in alive if view._view is not None and view._view[1][0] is source]


def make_stale(source: Tensor) -> None:
    """Have all views of a Tensor read their values anew."""
    for view in _living(source):
        if "_data" in view.__dict__ and _is_copy(view):  # a stale one is none
            detach(view)
        else:
            make_stale(view)
            view._forget()


def detach(view: Tensor) -> None:
    """Let a view keep its value, and no longer be one."""
    view._data  # noqa: B018  (a stale one reads it)
    view._view = None
