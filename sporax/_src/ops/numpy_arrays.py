"""Functions of `numpy` that rearrange, join, split and select elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, Axis, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.numpy_base import NUMPY, asarray, public, row
from sporax._src.ops.table import internal

# --- shape ----------------------------------------------------------------------------------------------------------


@row()
def reshape(x: Array, new_shape: Shape) -> Array:
    """Return the elements in a new shape; one size may be -1."""
    return jnp.reshape(x, new_shape)


@row()
def ravel(x: Array) -> Array:
    """Return the elements along one axis."""
    return jnp.ravel(x)


@row()
def expand_dims(a: Array, axis: Axis) -> Array:
    """Return the Tensor with new axes of size 1 at the given places of the result."""
    places = axis if isinstance(axis, tuple) else (axis,)
    return jnp.expand_dims(a, axes.several(places, a.ndim + len(places)))


@row()
def squeeze(a: Array, axis: Axis = None) -> Array:
    """Return the Tensor without its axes of size 1, or without the given ones."""
    return jnp.squeeze(a) if axis is None else jnp.squeeze(a, axes.several(axis, a.ndim))


@row()
def transpose(a: Array, axes: Axis = None) -> Array:
    """Return the Tensor with its axes in the given order, or reversed."""
    return jnp.transpose(a, axes)


@row()
def swapaxes(x: Array, axis1: int, axis2: int) -> Array:
    """Return the Tensor with two axes exchanged."""
    return jnp.swapaxes(x, axes.one(axis1, x.ndim, "axis1"), axes.one(axis2, x.ndim, "axis2"))


@row()
def moveaxis(a: Array, source: Axis, destination: Axis) -> Array:
    """Return the Tensor with axes moved to new places; the others keep their order."""
    return jnp.moveaxis(a, axes.several(source, a.ndim, "source"), axes.several(destination, a.ndim, "destination"))


@row()
def rollaxis(x: Array, axis: int, start: int = 0) -> Array:
    """Return the Tensor with `axis` moved back until it lies before `start`."""
    if not -x.ndim <= start <= x.ndim:
        raise ValueError(f"start must be in [{-x.ndim}, {x.ndim}], got {start}.")
    return jnp.rollaxis(x, axes.one(axis, x.ndim), start)


@row()
def broadcast_to(array: Array, shape: Shape) -> Array:
    """Return the Tensor repeated along axes of size 1 and new leading axes to fill `shape`."""
    return jnp.broadcast_to(array, shape)


@internal("numpy.broadcast_arrays")
def _broadcast_arrays(args: Arrays) -> tuple[Array, ...]:
    return tuple(jnp.broadcast_arrays(*args))


@public()
def broadcast_arrays(*args: Any) -> list[Tensor]:
    """Return the Tensors broadcast against each other."""
    return list(_broadcast_arrays([asarray(a) for a in args]))


def _at_least(name: str, text: str) -> None:
    @internal(f"numpy.{name}")
    def kernel(arys: Arrays) -> tuple[Array, ...]:
        return tuple([getattr(jnp, name)(a) for a in arys])

    def function(*arys: Any) -> Any:
        out = kernel([asarray(a) for a in arys])
        return out[0] if len(out) == 1 else list(out)

    function.__name__, function.__doc__ = name, text
    NUMPY[name] = function


_at_least("atleast_1d", "Return the Tensors, numbers as Tensors with one axis.")
_at_least("atleast_2d", "Return the Tensors with new leading axes where there are fewer than two.")
_at_least(
    "atleast_3d", "Return the Tensors with new axes, as (1, N, 1) and (M, N, 1), where there are fewer than three."
)


@public()
def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements, or the size along one axis."""
    a = asarray(a)
    return a.size if axis is None else a.shape[axes.one(axis, a.ndim)]


@public()
def array_str(a: Tensor) -> str:
    """Return the elements as text."""
    if not isinstance(a, Tensor):
        raise TypeError(f"numpy.array_str: expected a Tensor, got {type(a).__name__}.")
    return str(a)


# --- joining --------------------------------------------------------------------------------------------------------


def _joined(name: str, args: str, text: str) -> None:
    if args == "tup":

        def joined(tup: Arrays) -> Array:
            return getattr(jnp, name)(unify(*tup))
    else:

        def joined(arrays: Arrays, axis: Static = 0) -> Array:
            return getattr(jnp, name)(unify(*arrays), axis)

    joined.__name__, joined.__doc__ = name, text
    row(name)(joined)


_joined("column_stack", "tup", "Return vectors as columns, and matrices side by side, in one matrix.")
_joined("hstack", "tup", "Return the Tensors joined along the second axis (vectors along the first).")
_joined("vstack", "tup", "Return the Tensors joined along the first axis; vectors are rows.")
_joined("dstack", "tup", "Return the Tensors joined along the third axis.")
_joined("stack", "arrays", "Return the Tensors side by side along a new axis.")
_joined("concatenate", "arrays", "Return the Tensors joined along an axis; flattened first if it is None.")


@public()
def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Return `arr` with `values` after it along an axis; both are flattened first if it is None."""
    arr, values = asarray(arr), asarray(values)
    if axis is not None and arr.ndim != values.ndim:
        raise ValueError(
            f"numpy.append: arr and values must have the same number of axes, got {arr.ndim} and {values.ndim}."
        )
    return NUMPY["concatenate"]((arr, values), axis)


@row()
def tile(a: Array, reps: Shape) -> Array:
    """Return the Tensor repeated as a whole, `reps` times along each axis."""
    return jnp.tile(a, reps)


@row()
def repeat(a: Array, repeats: Static, axis: Static = None) -> Array:
    """Return the elements, each repeated, along an axis; flattened first if it is None."""
    counts = np.asarray(repeats)
    size = a.size if axis is None else a.shape[axes.one(axis, a.ndim)]
    total = int(counts.sum()) if counts.size > 1 else int(counts.reshape(-1)[0]) * size
    return jnp.repeat(a, jnp.asarray(counts), axis, total_repeat_length=total)


# --- splitting ------------------------------------------------------------------------------------------------------


@internal("numpy.split")
def _split(x: Array, sections: Static, axis: int, even: bool) -> tuple[Array, ...]:
    axis = axes.one(axis, x.ndim)
    if isinstance(sections, int) and (sections < 1 or (even and x.shape[axis] % sections)):
        raise ValueError(f"axis {axis} of size {x.shape[axis]} does not split evenly into {sections} sections.")
    return tuple(jnp.array_split(x, sections, axis))


def _splitter(name: str, axis: int) -> None:
    def splitter(x: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
        x = asarray(x)
        return _split(x, indices_or_sections, 0 if name == "hsplit" and x.ndim == 1 else axis, True)

    splitter.__name__, splitter.__doc__ = name, f"Return the Tensor split along axis {axis}, as `split` does."
    NUMPY[name] = splitter


@public()
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the Tensor in so many equal parts along an axis, or cut at the given indices.

    Raises:
        ValueError: If equal parts are not possible.
    """
    return _split(asarray(x), indices_or_sections, axis, True)


@public()
def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the Tensor in so many parts along an axis; the first ones are longer if equal parts are not possible."""
    return _split(asarray(x), indices_or_sections, axis, False)


_splitter("vsplit", 0)
_splitter("hsplit", 1)
_splitter("dsplit", 2)


# --- order ----------------------------------------------------------------------------------------------------------


@row()
def flip(m: Array, axis: Axis = None) -> Array:
    """Return the elements in reverse order along the given axes, or all."""
    return jnp.flip(m, axes.several(axis, m.ndim))


@row()
def fliplr(m: Array) -> Array:
    """Return the elements in reverse order along the second axis."""
    return jnp.fliplr(m)


@row()
def flipud(m: Array) -> Array:
    """Return the elements in reverse order along the first axis."""
    return jnp.flipud(m)


@row()
def roll(a: Array, shift: Axis, axis: Axis = None) -> Array:
    """Return the elements moved along axes by `shift` places; what leaves at the end enters at the start."""
    return jnp.roll(a, shift, axis if axis is None else axes.several(axis, a.ndim))


@row()
def rot90(a: Array, k: int = 1, axes: Shape = (0, 1)) -> Array:
    """Return the planes that two axes span turned by k · 90°, from the first axis to the second."""
    return jnp.rot90(a, k, axes)


# --- selection ------------------------------------------------------------------------------------------------------


def _in_range(indices: Array, size: int, mode: str, negative: bool = True) -> Array:
    """Return indices inside [0, size): `clip` limits them, `wrap` counts round; `raise` is left to the caller."""
    if mode == "wrap":
        return indices % size
    if mode not in ("clip", "raise"):
        raise ValueError(f"mode must be 'clip', 'wrap' or 'raise', got {mode!r}.")
    clipped = jnp.clip(indices, -size if negative else 0, size - 1)
    return jnp.where(clipped < 0, clipped + size, clipped) if negative else clipped


@row()
def take(a: Array, indices: Array, axis: Static = None, mode: str = "clip") -> Array:
    """Return the elements at the given indices along an axis; of the flattened Tensor if it is None."""
    if axis is None:
        a, axis = jnp.ravel(a), 0
    axis = axes.one(axis, a.ndim)
    indices = indices.astype(np.int64)
    if mode == "raise":  # out of range is filled instead: a compiled program cannot raise
        return jnp.take(a, indices, axis, mode="fill")
    return jnp.take(a, _in_range(indices, a.shape[axis], mode), axis)


@row()
def take_along_axis(arr: Array, indices: Array, axis: Static) -> Array:
    """Return for each place of `indices` the element at that index along an axis; other axes broadcast."""
    if axis is None:
        arr, axis = jnp.ravel(arr), 0
    if arr.ndim != indices.ndim:
        raise ValueError(f"arr and indices must have the same number of axes, got {arr.ndim} and {indices.ndim}.")
    return jnp.take_along_axis(arr, indices, axes.one(axis, arr.ndim))


@row()
def where(condition: Array, x: Array, y: Array) -> Array:
    """Return the elements of x where the condition is true and of y elsewhere."""
    x, y = unify(x, y)
    return jnp.where(condition.astype(bool), x, y)


@row("select")
def _select(condlist: Arrays, choicelist: Arrays, default: Array = 0) -> Array:
    """Return for each place the element of the first choice whose condition is true, or the default."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"condlist and choicelist must have equal lengths, got {len(condlist)} and {len(choicelist)}.")
    if any(c.ndim == 0 for c in (*condlist, *choicelist)) and len(condlist) == 0:
        raise ValueError("condlist must not be empty.")
    choices = unify(*choicelist)
    return jnp.select([c.astype(bool) for c in condlist], choices, default.astype(choices[0].dtype))


@internal("numpy.choose")
def _choose(a: Array, choices: Arrays, mode: str) -> Array:
    if a.dtype.kind not in "iu":
        raise ValueError(f"a must hold integers, got {mstype.from_numpy(a.dtype)}.")
    shape = jnp.broadcast_shapes(a.shape, *[c.shape for c in choices])
    stacked = jnp.stack([jnp.broadcast_to(c, shape) for c in unify(*choices)])
    index = _in_range(jnp.broadcast_to(a, shape), len(choices), mode, negative=False)
    return jnp.take_along_axis(stacked, index[None], 0)[0]


@public()
def choose(a: Any, choices: Any, mode: str = "clip") -> Tensor:
    """Return for each place the element of the choice whose number `a` holds there."""
    a = asarray(a)
    if mode == "raise" and a.size and not (0 <= int(a.asnumpy().min()) and int(a.asnumpy().max()) < len(choices)):
        raise ValueError(f"numpy.choose: a must hold numbers in [0, {len(choices)}).")
    return _choose(a, [asarray(c) for c in choices], mode)


@public()
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Tensor:
    """Return for each place the value of the function (or the number) whose condition is true there.

    Args:
        x: The arguments of the functions.
        condlist: Conditions of the shape of x; later ones win.
        funclist: A function or number for each condition, and one more for the places where none is true.
        args, kw: Further arguments of the functions.
    """
    x = asarray(x)
    conditions = [condlist] if isinstance(condlist, (bool, Tensor, np.ndarray)) else list(condlist)
    values = [f(x, *args, **kw) if callable(f) else f for f in funclist]
    if len(values) not in (len(conditions), len(conditions) + 1):
        raise ValueError(
            f"numpy.piecewise: funclist must have {len(conditions)} entries or one more, got {len(values)}."
        )
    default = values.pop() if len(values) > len(conditions) else 0
    return NUMPY["select"](conditions, [NUMPY["broadcast_to"](v, x.shape) for v in values], default)


@public()
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Return the results of a function for each vector along an axis."""
    arr = asarray(arr)
    axis = axes.one(axis, arr.ndim)
    moved = NUMPY["moveaxis"](arr, axis, -1)
    outer = moved.shape[:-1]
    rows = reshape(moved, (-1, moved.shape[-1]))
    out = NUMPY["stack"]([func1d(rows[i], *args, **kwargs) for i in range(rows.shape[0])])
    inner = out.shape[1:]
    out = reshape(out, outer + inner)
    n = len(outer)
    return (
        NUMPY["moveaxis"](out, tuple(range(n, n + len(inner))), tuple(range(axis, axis + len(inner)))) if inner else out
    )


@public()
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Sequence[int] | int) -> Tensor:
    """Return the result of `func(a, axis=axis)` for one axis after another; reduced axes are kept with size 1."""
    a = asarray(a)
    out = a
    for axis in (axes,) if isinstance(axes, int) else axes:
        out = func(out, axis=axis)
        out = out if out.ndim == a.ndim else expand_dims(out, axis)
        if out.ndim != a.ndim:
            raise ValueError("numpy.apply_over_axes: func must remove or keep the axis.")
    return out
