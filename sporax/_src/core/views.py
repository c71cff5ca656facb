"""Views: Tensors that show elements of another one. A write into one changes both.

JAX's arrays are immutable, so a view has an array of its own. It refers to the operator that created it, which only moves
elements, and to its operands; the first operand is its source. A source has weak references to its views.

- A write to a view changes its source, and so on up to the root, which is not a view.
- When a root changes, all its views become stale. A stale view has no value; the next read computes it from its source.

Views therefore cost nothing before a write, and reads of Tensors need no test. Gradients of writes, and writes in
graphs, need no extra code, because writing back and reading are ordinary operators.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias
from weakref import ref

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core.execution import current
from sporax._src.core.tape import is_recording, watched

Tensor: TypeAlias = Any  # `core.tensor`, which imports this module, defines the class


class Mover(Protocol):
    """An operator that only moves elements: each element of a result is one of its first operand."""

    def read(self, operands: Sequence[Any], index: int) -> Tensor:
        """Return result number `index`."""
        ...

    def put_back(self, operands: Sequence[Any], index: int, value: Tensor) -> Tensor:
        """Return the first operand with a value where result number `index` shows it."""
        ...

    def put_at(self, target: Tensor, indices: Tensor, value: Tensor) -> Tensor:
        """Return a Tensor with a value at flat (row-major) indices."""
        ...

    def strided(self, operands: Sequence[Any], index: int, memory: np.ndarray) -> np.ndarray | None:
        """Return the strided view of memory that result number `index` is; None if it needs a copy."""
        ...


_pruning = threading.Lock()


def link(results: Any, mover: Mover, operands: Sequence[Any]) -> Any:
    """Register the results of an operator, a Tensor or a tuple of them, as views of its first operand; return them.

    What an operator is handed to (see `dispatch_mode`) makes the views itself, and may return something else.
    """
    now = current.get()
    if now.intercepts is not None and now.scope is None:
        return results
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


_PRUNED_AT = frozenset(2**n for n in range(5, 60))  # dead references are dropped whenever the number has doubled


def _prune(views: list[Any]) -> None:
    """Drop dead references; other threads may add views at the same time."""
    with _pruning:
        count = len(views)
        views[:count] = [view for view in views[:count] if view() is not None]


def root_of(tensor: Tensor) -> Tensor:
    """Return the Tensor that a view shows elements of; a Tensor that is no view itself."""
    while tensor._view is not None:
        tensor = tensor._view[1][0]
    return tensor


def has_views(tensor: Tensor) -> bool:
    """Return whether a view of a Tensor is referenced."""
    return tensor._views is not None and bool(_living(tensor))


def read(view: Tensor) -> Tensor:
    """Return the current value of a stale view."""
    mover, operands, index = view._view
    return mover.read(operands, index)


def stays(view: Tensor) -> bool:
    """Return whether the current value of a stale view may be stored in it.

    It may not within a trace, which may end without writing the source, and not if a gradient in progress would miss
    the read.
    """
    return current.get().scope is None and (is_recording() or not watched(view._view[1][0]))


# --- where the elements lie -------------------------------------------------------------------------------------------


def layout(tensor: Tensor) -> np.ndarray:
    """Return an array with the strides of a Tensor; its elements are meaningless."""
    memory = None if tensor._view is None else _layout_of_view(tensor)
    if memory is None:
        shape, unit = tensor._data.shape, _unit(tensor)
        steps = [unit * math.prod(shape[i + 1 :]) for i in range(len(shape))]
        memory = np.lib.stride_tricks.as_strided(np.empty(1, np.int8 if unit == 1 else np.int16), shape, steps)
    return memory


def _unit(tensor: Tensor) -> int:
    """Return the number of units that the strides of a layout count for an element: two for a complex one."""
    return 2 if tensor._data.dtype.kind == "c" else 1


def _layout_of_view(view: Tensor) -> np.ndarray | None:
    mover, operands, index = view._view
    return mover.strided(operands, index, layout(operands[0]))


def strides(tensor: Tensor) -> list[int]:
    """Return the stride along each axis, in elements."""
    unit = _unit(tensor)
    return [stride // unit for stride in layout(tensor).strides]


def offset(tensor: Tensor) -> int:
    """Return the flat index, in the root, of the first element of a view; 0 for other Tensors."""
    path = _path(tensor, tensor)
    if not path or not tensor.size:
        return 0
    return int(_element_indices(path[-1]._view[1][0], path).asnumpy().flat[0])


def is_contiguous(tensor: Tensor) -> bool:
    """Return whether the elements of a Tensor are contiguous in row-major order."""
    memory = layout(tensor)
    step = _unit(tensor)
    for size, stride in zip(reversed(memory.shape), reversed(memory.strides), strict=True):
        if size != 1 and stride != step:
            return memory.size == 0
        step *= size
    return True


def _is_copy(view: Tensor) -> bool:
    """Return whether a Tensor registered as a view is a copy, because strides cannot express it."""
    source = view._view[1][0]
    if _layout_of_view(view) is None:
        return True
    # Mixed precision casts the operands of operators.
    return "_data" in view.__dict__ and view.dtype != source.dtype and source._data.dtype.kind != "c"


def _overlaps(view: Tensor) -> bool:
    memory = layout(view)
    return any(stride == 0 and size > 1 for size, stride in zip(memory.shape, memory.strides, strict=True))


def overlaps(tensor: Tensor) -> bool:
    """Return whether several elements of a Tensor share one element of memory."""
    return tensor._view is not None and not _is_copy(tensor) and _overlaps(tensor)


# --- writing ------------------------------------------------------------------------------------------------------------


def check_writable(tensor: Tensor, what: str) -> None:
    """Raise unless a Tensor may be written in place.

    Args:
        tensor: The Tensor.
        what: The name of the writer in errors.

    Raises:
        RuntimeError: If several of its elements share one element of memory, or if it, or its root, is an input of a gradient in
            progress. (A value written to a Parameter replaces it in the gradient, as in MindSpore.)
    """
    check_overlap(tensor, what)
    check_leaf(tensor, what)


def check_overlap(tensor: Tensor, what: str) -> None:
    """Raise a RuntimeError if several elements of the written Tensor share one element of memory."""
    if overlaps(tensor):
        raise RuntimeError(
            f"{what}: {describe(tensor)} is a view of which several elements are one element of memory (broadcast_to and "
            "expand make such views). Write into a copy of it: x.copy()."
        )


def check_leaf(tensor: Tensor, what: str) -> None:
    """Raise a RuntimeError if the written Tensor, or its root, is an input of a gradient in progress."""
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
    """Set a Tensor to a value and return it; raise where `check_writable` does.

    Args:
        tensor: The Tensor.
        value: The value.
        what: The name of the writer in errors.
        may_overlap: Whether several elements of the Tensor may share memory, as for operations that write one value everywhere.
    """
    if not may_overlap:
        check_overlap(tensor, what)
    check_leaf(tensor, what)
    return tensor._rebind(value)


def write(view: Tensor, value: Tensor) -> None:
    """Set a view to a value, and update the Tensor that it is a view of."""
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
    """Return a view, its source, and so on without the root; empty if it is no view of the shape and dtype of a value."""
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
    """Return the flat index, in the root, of each element of a view."""
    indices = root.from_numpy(np.arange(root.size).reshape(root.shape))
    for part in reversed(path):
        mover, operands, index = part._view
        indices = mover.read((indices, *operands[1:]), index)
    return indices


def before_write(source: Tensor, value: Any) -> None:
    """Prepare the views of a Tensor for a new value: they become stale, or are detached if its shape or dtype differs."""
    views, old = source._views, source._data
    if views is None:
        return
    if value.shape == old.shape and value.dtype == old.dtype:
        make_stale(source)
    else:
        release(source)


def release(source: Tensor) -> None:
    """Turn all views of a Tensor into Tensors of their own: it gets other memory."""
    for view in _living(source):
        detach(view)
    source.__dict__.pop("_views", None)


def leave(tensor: Tensor, memory: Tensor) -> None:
    """Separate a Tensor from its memory: another Tensor takes its place, for its views and as a view.

    Args:
        tensor: The Tensor, which gets other memory next.
        memory: A Tensor of the same value that has no views and is none.
    """
    _follow(memory, _living(tensor))
    if tensor._views is not None:
        memory._views = tensor.__dict__.pop("_views")
    if tensor._view is not None:
        memory._view, tensor._view = tensor._view, None
        memory._view[1][0]._views.append(ref(memory))


def exchange(one: Tensor, other: Tensor, swap: Callable[[], None]) -> None:
    """Exchange two Tensors, by a function that swaps their attributes: each view follows what it shows elements of."""
    of_one, of_other = _living(one), _living(other)
    swap()
    partner = {id(one): other, id(other): one}
    _follow(other, [partner.get(id(view), view) for view in of_one])
    _follow(one, [partner.get(id(view), view) for view in of_other])
    for tensor in (one, other):
        if tensor._view is not None:
            tensor._view[1][0]._views.append(ref(tensor))


def _follow(source: Tensor, views: Sequence[Tensor]) -> None:
    """Make a Tensor the source of views."""
    for view in views:
        mover, operands, index = view._view
        view._view = (mover, (source, *operands[1:]), index)


def _living(source: Tensor) -> list[Tensor]:
    """Return the live views of a Tensor."""
    views = source._views
    if not views:
        return []
    alive = [view for view in [ref() for ref in list(views)] if view is not None]
    if len(alive) < len(views):
        _prune(views)
    return [view for view in alive if view._view is not None and view._view[1][0] is source]


def make_stale(source: Tensor) -> None:
    """Mark all views of a Tensor as stale."""
    for view in _living(source):
        if "_data" in view.__dict__ and _is_copy(view):  # a stale view has no value
            detach(view)
        else:
            make_stale(view)
            view._forget()


def detach(view: Tensor) -> None:
    """Turn a view into a Tensor of its own."""
    view._data  # noqa: B018  (a stale one reads it)
    view._view = None
