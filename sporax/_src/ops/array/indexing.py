"""Reading and writing Tensors through index expressions: `x[...]` and `x[...] = value`."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.bindings.tensor_methods import method
from sporax._src.core import views
from sporax._src.core.conversion import converted
from sporax._src.core.execution import current
from sporax._src.core.tensor import Tensor
from sporax._src.engine.dispatch import Kernel, run, run_view
from sporax._src.ops.array.index_plan import ALL, ARRAY, INT, NEW, Item, Nothing, Plan, plan, position, whole_mask

_kernels: dict[Any, Kernel] = {}


def _kernel(name: str, spec: Plan, make: Callable[[Plan], Callable[..., Array]]) -> Kernel:
    key = (name, spec)
    if key not in _kernels:
        _kernels[key] = Kernel(make(spec), name, None, functools.partial(_bounds, spec) if spec.picks else None)
    return _kernels[key]


def _bounds(spec: Plan, x: Array, *operands: object) -> list[tuple[str, Any, int]]:
    """Return the index Tensors of an expression and the sizes they count along."""
    remaining = iter(operands[-spec.operands :])
    bounds = []
    for axis, item in enumerate(item for item in spec.items if item != NEW):
        index = next(remaining) if item != ALL else 0
        if item in (INT, ARRAY) and not isinstance(index, int):
            bounds.append((f"the index of axis {axis}", index, x.shape[axis]))
    return bounds


# --- reading --------------------------------------------------------------------------------------------------------


@method("__getitem__")
def getitem(self: Tensor, index: object) -> Tensor:
    """Return the elements that an index expression selects.

    Integers and the starts of slices are operands: reading `x[i]` in a loop compiles once. A bool Tensor is turned into
    indices on the host.

    Args:
        index: Ints, slices, `...`, None, bools, Tensors, lists, or a tuple of them.

    Returns:
        A Tensor: a view of this one unless Tensors, lists or masks pick elements.

    Raises:
        IndexError: If an index is out of range, there are too many indices, or an index is something else.

    Examples:
        >>> Tensor([[1, 2], [3, 4]])[1, :].asnumpy()
        array([3, 4])
    """
    if type(index) is int:
        return run_view(_row, (self, position(index, self._data.shape, 0) if self._data.shape else _scalar()))
    try:
        spec, operands = plan(self._data.shape, index)
    except Nothing as error:
        raise IndexError(str(error)) from None
    kernel = _kernel("Tensor.__getitem__", spec, _reader)
    if not spec.has_arrays:
        return run_view(kernel, (self, *operands))
    picked = run(kernel, (self, *operands))
    if current.get().scope is None:
        picked._picked = (weakref.ref(self), index)
    return picked


def _scalar() -> int:
    raise IndexError("too many indices: the Tensor has 0 axes, got an index for 1.")


_row = Kernel(
    lambda x, i: jax.lax.dynamic_index_in_dim(x, jnp.asarray(i, np.int32), keepdims=False), "Tensor.__getitem__"
)


def _reader(spec: Plan) -> Callable[..., Array]:
    def read(x: Array, *operands: object) -> Array:
        block, rest = _block(x, spec, operands)
        if spec.has_arrays:
            return block.at[_advanced(x.shape, spec, rest)].get(mode="fill", fill_value=0)
        return block.reshape(_result_shape(block.shape, spec))

    return read


def _block(x: Array, spec: Plan, operands: Sequence[Any]) -> tuple[Array, list[Any]]:
    """Return x cut to its slices (and, without index Tensors, to its integers), and the remaining operands."""
    starts, spans, rest = _corner(x.shape, spec, operands)
    if spans != list(x.shape):
        x = jax.lax.dynamic_slice(x, starts, spans)
    return x[_strides(spec)], rest


def _corner(shape: tuple[int, ...], spec: Plan, operands: Sequence[Any]) -> tuple[list[Any], list[int], list[Any]]:
    """Return the starts and the sizes of the block of the slices, and the remaining operands."""
    remaining = iter(operands)
    starts: list[Any] = []
    spans: list[int] = []
    rest: list[Any] = []
    for item in spec.items:
        if item == NEW:
            continue
        size = shape[len(spans)]
        start, span = 0, size
        if item.kind == "slice":
            start, span = next(remaining), max((item.length - 1) * abs(item.step) + 1, 0) if item.length else 0
        elif item.kind == "int" and not spec.has_arrays:
            start, span = _counted(next(remaining), size), 1
        elif item.kind in ("int", "array"):
            rest.append(next(remaining))
        starts.append(jnp.asarray(start, np.int32))
        spans.append(span)
    return starts, spans, rest


def _counted(index: Any, size: int) -> Any:
    """Return an index from a Tensor, counted from the start of the axis."""
    return jnp.where(index < 0, index + size, index)


def _strides(spec: Plan) -> tuple[slice, ...]:
    """Return the static slices that apply the steps to a block."""
    return tuple([slice(None, None, i.step) if i.kind == "slice" else slice(None) for i in spec.items if i != NEW])


def _result_shape(block: Sequence[int], spec: Plan) -> list[int]:
    sizes = iter(block)
    shape = []
    for item in spec.items:
        size = 1 if item == NEW else next(sizes)
        if item != INT:
            shape.append(size)
    return shape


def _advanced(shape: tuple[int, ...], spec: Plan, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Return the index of the block that picks by Tensors, integers among them as 0-d ones (NumPy's rule)."""
    remaining = iter(operands)

    def index_of(item: Item) -> Any:
        if item == NEW:
            return None
        return jnp.asarray(next(remaining)) if item.kind in ("int", "array") else slice(None)

    return tuple([index_of(item) for item in spec.items])


# --- writing --------------------------------------------------------------------------------------------------------


@method("__setitem__")
def setitem(self: Tensor, index: object, value: object) -> None:
    """Put a value, broadcast and converted to the Tensor's dtype, where an index expression selects.

    Under a mask, a value that broadcasts to the Tensor without the axes of the mask stays on the device.

    Args:
        index: As in reading: ints, slices, `...`, None, bools, Tensors, lists, or a tuple of them.
        value: A Tensor, number or sequence that broadcasts to the selected elements; it is converted to the Tensor's
            dtype.

    Raises:
        IndexError: If an index is out of range, there are too many indices, or an index is something else.
        TypeError: If `value` is something else.
        ValueError: If it does not broadcast to the selected elements.
        RuntimeError: If a gradient is being taken by this Tensor (in PyNative mode, as in MindSpore), or several of the
            selected elements are one element of memory.

    Examples:
        >>> x = Tensor([1, 2, 3])
        >>> x[1:] = 9
        >>> x.asnumpy()
        array([1, 9, 9])
    """
    if self._view is not None and views.overlaps(self):
        item = getitem(self, index)
        views.check_writable(self if item._view is None else item, "Tensor.__setitem__")
        item._rebind(run(_fill, (item, _value(value))))
        return
    views.check_leaf(self, "Tensor.__setitem__")
    _put(self, index, _value(value))
    if self._picked is not None:
        source, picked_index = self._picked
        if (picked_from := source()) is not None and current.get().scope is None:
            setitem(picked_from, picked_index, self)  # MindSpore's PyNative mode does it, its graphs and methods do not


def _put(self: Tensor, index: object, value: object) -> None:
    if isinstance(index, Tensor) and index._data.dtype.kind == "b" and index.ndim > self.ndim:
        raise ValueError(f"Tensor.__setitem__: the mask has {index.ndim} axes, the Tensor has {self.ndim}.")
    mask = whole_mask(self._data.shape, index)
    if mask is not None and _fits_rows(value, self._data.shape[mask.ndim :]):
        self._rebind(run(_under_mask, (self, mask, value)))
        return
    try:
        spec, operands = plan(self._data.shape, index)
    except Nothing:
        return
    self._rebind(run(_kernel("Tensor.__setitem__", spec, _writer), (self, value, *operands)))


def _value(value: object) -> Any:
    if isinstance(value, (Tensor, bool, int, float)):
        return value
    if isinstance(value, (list, tuple, np.ndarray, np.generic)):
        return Tensor(value)
    raise TypeError(
        f"Tensor.__setitem__: the value must be a number, Tensor, list or tuple, got {type(value).__name__}."
    )


def _fits_rows(value: object, free: tuple[int, ...]) -> bool:
    shape = value.shape if isinstance(value, Tensor) else ()
    return len(shape) <= len(free) and all(a in (1, b) for a, b in zip(reversed(shape), reversed(free), strict=False))


def _fill_mask(x: Array, mask: Array, value: object) -> Array:
    full = mask.reshape(mask.shape + (1,) * (x.ndim - mask.ndim))
    return jnp.where(full, converted(jnp.asarray(value), x.dtype), x)


_under_mask = Kernel(_fill_mask, "Tensor.__setitem__")
_fill = Kernel(lambda x, value: _broadcast(converted(jnp.asarray(value), x.dtype), x.shape), "Tensor.__setitem__")


def _writer(spec: Plan) -> Callable[..., Array]:
    def write(x: Array, value: object, *operands: object) -> Array:
        value = converted(jnp.asarray(value), x.dtype)
        starts, spans, rest = _corner(x.shape, spec, operands)
        if 0 in spans:
            return x
        block = x if spans == list(x.shape) else jax.lax.dynamic_slice(x, starts, spans)
        if spec.has_arrays:
            index = _advanced(x.shape, spec, rest)
            strided = block[_strides(spec)]
            new = strided.at[index].set(_broadcast(value, jax.eval_shape(lambda b: b[index], strided).shape))
        else:
            new = _broadcast(value, tuple(_result_shape(_stepped(spans, spec), spec))).reshape(_stepped(spans, spec))
        block = new if new.shape == block.shape and not _reverses(spec) else block.at[_strides(spec)].set(new)
        return block if block.shape == x.shape else jax.lax.dynamic_update_slice(x, block, starts)

    return write


def _stepped(spans: list[int], spec: Plan) -> list[int]:
    """Return the sizes of a block once its steps are taken."""
    lengths = [i.length if i.kind == "slice" else None for i in spec.items if i != NEW]
    return [s if n is None else n for s, n in zip(spans, lengths, strict=True)]


def _reverses(spec: Plan) -> bool:
    return any(i.step < 0 for i in spec.items)


def _broadcast(value: Array, shape: tuple[int, ...]) -> Array:
    """Return a value broadcast to `shape`; leading axes of size 1 are dropped."""
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    if value.ndim > len(shape) or any(
        a not in (1, b) for a, b in zip(reversed(value.shape), reversed(shape), strict=False)
    ):
        raise ValueError(f"the value of shape {value.shape} does not broadcast to the selected {shape}.")
    return jnp.broadcast_to(value, shape)
