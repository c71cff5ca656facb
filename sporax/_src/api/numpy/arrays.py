"""Functions of `numpy` that rearrange, choose, join, split and pad elements and axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from sporax._src.api.numpy.asarray import NUMPY, asarray, public, row
from sporax._src.base.typing import Array, Arrays, Axis, Shape, Static, number
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine import axes
from sporax._src.engine.table import internal
from sporax._src.ops.array.joining import cut_evenly

# --- shape ----------------------------------------------------------------------------------------------------------


@row()
def reshape(x: Array, new_shape: Shape) -> Array:
    """Return the elements in a new shape; one size may be -1.

    Args:
        x: An array-like.
        new_shape: The sizes; one may be -1 and follows from the rest.

    Raises:
        TypeError: If the number of elements does not fit.

    Examples:
        >>> ms.numpy.reshape([[1, 2], [3, 4]], (4,)).asnumpy()
        array([1, 2, 3, 4], dtype=int32)
    """
    return jnp.reshape(x, new_shape)


@row()
def ravel(x: Array) -> Array:
    """Return the elements along one axis.

    Args:
        x: An array-like.

    Examples:
        >>> ms.numpy.ravel([[1, 2], [3, 4]]).asnumpy()
        array([1, 2, 3, 4], dtype=int32)
    """
    return jnp.ravel(x)


@row()
def expand_dims(a: Array, axis: Axis) -> Array:
    """Return the Tensor with new axes of size 1 at the given positions of the result.

    Args:
        a: An array-like.
        axis: A position in the result, or a tuple of them.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.expand_dims([1, 2], 0).shape
        (1, 2)
    """
    positions = axis if isinstance(axis, tuple) else (axis,)
    return jnp.expand_dims(a, axes.several(positions, a.ndim + len(positions)))


@row()
def squeeze(a: Array, axis: Axis = None) -> Array:
    """Return the Tensor without its axes of size 1, or without the given ones.

    Args:
        a: An array-like.
        axis: An axis or several, of size 1; None means all of size 1.

    Raises:
        ValueError: If an axis is out of range or has another size.

    Examples:
        >>> ms.numpy.squeeze([[1, 2]]).shape
        (2,)
    """
    return jnp.squeeze(a) if axis is None else jnp.squeeze(a, axes.several(axis, a.ndim))


@row()
def transpose(a: Array, axes: Shape | None = None) -> Array:
    """Return the Tensor with its axes in the given order, or reversed.

    Args:
        a: An array-like.
        axes: The axis of the input that becomes axis 0, 1, ... of the result; None reverses them.

    Examples:
        >>> ms.numpy.transpose([[1, 2, 3]]).shape
        (3, 1)
    """
    return jnp.transpose(a, axes)


@row()
def swapaxes(x: Array, axis1: int, axis2: int) -> Array:
    """Return the Tensor with two axes exchanged.

    Args:
        x: An array-like.
        axis1, axis2: The axes.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.swapaxes(ops.ones((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    return jnp.swapaxes(x, axes.one(axis1, x.ndim, "axis1"), axes.one(axis2, x.ndim, "axis2"))


@row()
def moveaxis(a: Array, source: Axis, destination: Axis) -> Array:
    """Return the Tensor with axes moved to new positions; the others keep their order.

    Args:
        a: An array-like.
        source: An axis or several.
        destination: As many axes: where they go in the result.

    Raises:
        ValueError: If an axis is out of range, or the numbers of axes differ.

    Examples:
        >>> ms.numpy.moveaxis(ops.ones((2, 3, 4)), 0, 2).shape
        (3, 4, 2)
    """
    return jnp.moveaxis(a, axes.several(source, a.ndim, "source"), axes.several(destination, a.ndim, "destination"))


@row()
def rollaxis(x: Array, axis: int, start: int = 0) -> Array:
    """Return the Tensor with `axis` moved back until it lies before `start`.

    Args:
        x: An array-like.
        axis: The axis that is moved.
        start: The axis before which it is inserted.

    Raises:
        ValueError: If `axis` or `start` is out of range.

    Examples:
        >>> ms.numpy.rollaxis(ops.ones((2, 3, 4)), 2).shape
        (4, 2, 3)
    """
    if not -x.ndim <= start <= x.ndim:
        raise ValueError(f"start must be in [{-x.ndim}, {x.ndim}], got {start}.")
    return jnp.rollaxis(x, axes.one(axis, x.ndim), start)


@row()
def broadcast_to(array: Array, shape: Shape) -> Array:
    """Return the Tensor repeated along axes of size 1 and new leading axes to fill `shape`.

    Args:
        array: An array-like.
        shape: The sizes.

    Raises:
        ValueError: If the array does not broadcast to `shape`.

    Examples:
        >>> ms.numpy.broadcast_to([1, 2], (2, 2)).asnumpy()
        array([[1, 2],
               [1, 2]], dtype=int32)
    """
    return jnp.broadcast_to(array, shape)


@internal("numpy.broadcast_arrays")
def _broadcast_arrays(args: Arrays) -> tuple[Array, ...]:
    return tuple(jnp.broadcast_arrays(*args))


@public()
def broadcast_arrays(*args: ArrayLike) -> list[Tensor]:
    """Return the Tensors broadcast against each other.

    Args:
        args: Array-likes that broadcast.

    Returns:
        A list of Tensors of one shape.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> [t.shape for t in ms.numpy.broadcast_arrays([1, 2], [[3], [4]])]
        [(2, 2), (2, 2)]
    """
    return list(_broadcast_arrays([asarray(a) for a in args]))


def _at_least(name: str, text: str, shape: tuple[int, ...]) -> None:
    @internal(f"numpy.{name}")
    def kernel(arys: Arrays) -> tuple[Array, ...]:
        return tuple([getattr(jnp, name)(a) for a in arys])

    def function(*arys: Any) -> Any:
        out = kernel([asarray(a) for a in arys])
        return out[0] if len(out) == 1 else list(out)

    function.__name__, function.__doc__ = name, _AT_LEAST.format(name=name, text=text, shape=shape)
    NUMPY[name] = function


_AT_LEAST = """{text}

    Args:
        arys: Array-likes.

    Returns:
        A Tensor for one array-like, a list of them for several.

    Examples:
        >>> ms.numpy.{name}([1, 2]).shape
        {shape}
    """

_at_least("atleast_1d", "Return the Tensors, numbers as Tensors with one axis.", (2,))
_at_least("atleast_2d", "Return the Tensors with new leading axes where there are fewer than two.", (1, 2))
_at_least(
    "atleast_3d",
    "Return the Tensors with new axes, as (1, N, 1) and (M, N, 1), where there are fewer than three.",
    (1, 2, 1),
)


@public()
def size(a: ArrayLike, axis: int | None = None) -> int:
    """Return the number of elements, or the size along one axis.

    Args:
        a: An array-like.
        axis: The axis; None counts all elements.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.size([[1, 2, 3]]), ms.numpy.size([[1, 2, 3]], 1)
        (3, 3)
    """
    a = asarray(a)
    return a.size if axis is None else a.shape[axes.one(axis, a.ndim)]


@public()
def array_str(a: Tensor) -> str:
    """Return the elements as text.

    Args:
        a: A Tensor.

    Raises:
        TypeError: If it is none.

    Examples:
        >>> ms.numpy.array_str(Tensor([1, 2]))
        '[1 2]'
    """
    if not isinstance(a, Tensor):
        raise TypeError(f"numpy.array_str: expected a Tensor, got {type(a).__name__}.")
    return str(a)


# --- order ----------------------------------------------------------------------------------------------------------


@row()
def flip(m: Array, axis: Axis = None) -> Array:
    """Return the elements in reverse order along the given axes, or all.

    Args:
        m: An array-like.
        axis: An axis, several, or None for all.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.flip([[1, 2], [3, 4]]).asnumpy()
        array([[4, 3],
               [2, 1]], dtype=int32)
    """
    return jnp.flip(m, axes.several(axis, m.ndim))


@row()
def fliplr(m: Array) -> Array:
    """Return the elements in reverse order along the second axis.

    Args:
        m: An array-like with at least 2 axes.

    Examples:
        >>> ms.numpy.fliplr([[1, 2], [3, 4]]).asnumpy()
        array([[2, 1],
               [4, 3]], dtype=int32)
    """
    return jnp.fliplr(m)


@row()
def flipud(m: Array) -> Array:
    """Return the elements in reverse order along the first axis.

    Args:
        m: An array-like with at least 1 axis.

    Examples:
        >>> ms.numpy.flipud([[1, 2], [3, 4]]).asnumpy()
        array([[3, 4],
               [1, 2]], dtype=int32)
    """
    return jnp.flipud(m)


@row()
def roll(a: Array, shift: int | Shape, axis: Axis = None) -> Array:
    """Return the elements moved along axes by `shift` positions; elements that leave at the end enter at the start.

    Args:
        a: An array-like.
        shift: Places to move by, an int or one for each axis.
        axis: An axis or several, one of which may be named again; None moves the flattened array.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.roll([1, 2, 3], 1).asnumpy()
        array([3, 1, 2], dtype=int32)
    """
    over = (axis,) if isinstance(axis, int) else axis
    return jnp.roll(a, shift, None if over is None else tuple([axes.one(n, a.ndim) for n in over]))


@row()
def rot90(a: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Return the planes that two axes span turned by k · 90°, from the first axis to the second.

    Args:
        a: An array-like with at least 2 axes.
        k: How often.
        axes: The two axes.

    Examples:
        >>> ms.numpy.rot90([[1, 2], [3, 4]]).asnumpy()
        array([[2, 4],
               [1, 3]], dtype=int32)
    """
    return jnp.rot90(a, k, axes)


# --- elements chosen, functions applied to parts ------------------------------------------------------------------------


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
    """Return the elements at the given indices along an axis; of the flattened Tensor if it is None.

    Indices out of range are an error in NumPy; here the default limits them, as MindSpore does.

    Args:
        a: An array-like.
        indices: Integers.
        axis: The axis; None takes from the flattened array.
        mode: The treatment of indices out of range: "clip" limits them, "wrap" counts round, "raise" gives NaN or the
            least integer.

    Raises:
        ValueError: If the mode is unknown, or the axis out of range.

    Examples:
        >>> ms.numpy.take([1, 2, 3], [0, 5]).asnumpy()
        array([1, 3], dtype=int32)
    """
    if axis is None:
        a, axis = jnp.ravel(a), 0
    axis = axes.one(axis, a.ndim)
    indices = indices.astype(np.int64)
    if mode == "raise":  # out of range is filled instead: a compiled program cannot raise
        return jnp.take(a, indices, axis, mode="fill")
    return jnp.take(a, _in_range(indices, a.shape[axis], mode), axis)


@row()
def take_along_axis(arr: Array, indices: Array, axis: Static) -> Array:
    """Return for each element of `indices` the element at that index along an axis; other axes broadcast.

    Args:
        arr: An array-like.
        indices: Integers, with as many axes as `arr`.
        axis: The axis; None flattens `arr`.

    Raises:
        ValueError: If the numbers of axes differ, or the axis is out of range.

    Examples:
        >>> ms.numpy.take_along_axis([[3, 1], [2, 4]], [[1], [0]], 1).asnumpy()
        array([[1],
               [2]], dtype=int32)
    """
    if axis is None:
        arr, axis = jnp.ravel(arr), 0
    if arr.ndim != indices.ndim:
        raise ValueError(f"arr and indices must have the same number of axes, got {arr.ndim} and {indices.ndim}.")
    return jnp.take_along_axis(arr, indices, axes.one(axis, arr.ndim))


@row()
def where(condition: Array, x: Array, y: Array) -> Array:
    """Return the elements of x where the condition is true and of y elsewhere.

    Args:
        condition: An array-like of booleans, or of numbers (0 is false).
        x: An array-like.
        y: An array-like; the three broadcast.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ms.numpy.where([True, False], [1, 2], [8, 9]).asnumpy()
        array([1, 9], dtype=int32)
    """
    x, y = unify(x, y)
    return jnp.where(condition.astype(bool), x, y)


@row("select")
def _select(condlist: Arrays, choicelist: Arrays, default: Array = number(0)) -> Array:
    """Return for each position the element of the first choice whose condition is true, or the default.

    Args:
        condlist: A sequence of conditions.
        choicelist: As many array-likes; all broadcast.
        default: The value where no condition is true.

    Raises:
        ValueError: If the lengths differ.

    Examples:
        >>> ms.numpy.select([[True, False]], [[1, 2]], 9).asnumpy()
        array([1, 9], dtype=int32)
    """
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
def choose(a: ArrayLike, choices: Any, mode: str = "clip") -> Tensor:
    """Return for each position the element of the choice whose number is in `a`.

    Args:
        a: Integers.
        choices: A sequence of array-likes that broadcast with `a`.
        mode: The treatment of numbers out of range: "clip" limits them, "wrap" counts round, "raise" is an error.

    Raises:
        ValueError: If `a` holds no integers, the mode is unknown, or with "raise" a number is out of range.

    Examples:
        >>> ms.numpy.choose([1, 0], [[1, 2], [8, 9]]).asnumpy()
        array([8, 2], dtype=int32)
    """
    a = asarray(a)
    if mode == "raise" and a.size and not (0 <= int(a.asnumpy().min()) and int(a.asnumpy().max()) < len(choices)):
        raise ValueError(f"numpy.choose: a must hold numbers in [0, {len(choices)}).")
    return _choose(a, [asarray(c) for c in choices], mode)


@public()
def piecewise(x: ArrayLike, condlist: Any, funclist: Any, *args: object, **kw: object) -> Tensor:
    """Return for each position the value of the function (or the number) whose condition is true there.

    Args:
        x: The arguments of the functions.
        condlist: Conditions of the shape of x; later ones win.
        funclist: A function or number for each condition, and one more for the positions where none is true.
        args, kw: Further arguments of the functions.

    Raises:
        ValueError: If `funclist` has neither as many entries as `condlist` nor one more.

    Examples:
        >>> x = Tensor([-2.0, 3.0])
        >>> ms.numpy.piecewise(x, [x < 0, x >= 0], [-1.0, lambda v: v * v]).asnumpy()
        array([-1.,  9.], dtype=float32)
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
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: object, **kwargs: object) -> Tensor:
    """Return the results of a function for each vector along an axis.

    Args:
        func1d: A function of a vector; its results have one shape.
        axis: The axis of the vectors.
        arr: An array-like.
        args, kwargs: Further arguments of the function.

    Returns:
        A Tensor whose axis is replaced by those of a result.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.apply_along_axis(ms.numpy.sum, 0, [[1.0, 4.0], [3.0, 2.0]]).asnumpy()
        array([4., 6.], dtype=float32)
    """
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
def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: Sequence[int] | int) -> Tensor:
    """Return the result of `func(a, axis=axis)` for one axis after another; reduced axes are kept with size 1.

    Args:
        func: A function of a Tensor with an argument `axis`, which removes the axis or leaves it.
        a: An array-like.
        axes: The axes, one after another.

    Raises:
        ValueError: If the result has another number of axes.

    Examples:
        >>> ms.numpy.apply_over_axes(ms.numpy.sum, [[1, 2], [3, 4]], (0, 1)).asnumpy()
        array([[10]])
    """
    a = asarray(a)
    out = a
    for axis in (axes,) if isinstance(axes, int) else axes:
        out = func(out, axis=axis)
        out = out if out.ndim == a.ndim else expand_dims(out, axis)
        if out.ndim != a.ndim:
            raise ValueError("numpy.apply_over_axes: func must remove or keep the axis.")
    return out


# --- joining --------------------------------------------------------------------------------------------------------


def _joined(name: str, args: str, text: str, shape: tuple[int, ...]) -> None:
    def of_all(tup: Arrays) -> Array:
        return getattr(jnp, name)(unify(*tup))

    def along(arrays: Arrays, axis: Static = 0) -> Array:
        return getattr(jnp, name)(unify(*arrays), axis)

    joined = of_all if args == "tup" else along
    joined.__name__ = name
    joined.__doc__ = _JOINED.format(name=name, args=args, text=text, shape=shape, axis="" if args == "tup" else _ALONG)
    row(name)(joined)


_JOINED = """{text}

    Args:
        {args}: A sequence of array-likes, whose other sizes are equal; their dtypes are promoted.{axis}

    Examples:
        >>> ms.numpy.{name}(([1, 2], [3, 4])).shape
        {shape}
    """
_ALONG = "\n        axis: The axis, counted from the end where it is negative."

_joined("column_stack", "tup", "Return vectors as columns, and matrices side by side, in one matrix.", (2, 2))
_joined("hstack", "tup", "Return the Tensors joined along the second axis (vectors along the first).", (4,))
_joined("vstack", "tup", "Return the Tensors joined along the first axis; vectors are rows.", (2, 2))
_joined("dstack", "tup", "Return the Tensors joined along the third axis.", (1, 2, 2))
_joined("stack", "arrays", "Return the Tensors side by side along a new axis.", (2, 2))
_joined("concatenate", "arrays", "Return the Tensors joined along an axis; flattened first if it is None.", (4,))


@public()
def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Tensor:
    """Return `arr` with `values` after it along an axis; both are flattened first if it is None.

    Args:
        arr: An array-like.
        values: An array-like with as many axes, and the sizes of `arr` but along `axis`.
        axis: The axis; None flattens both.

    Raises:
        ValueError: If the numbers of axes differ.

    Examples:
        >>> ms.numpy.append([1, 2], [3]).asnumpy()
        array([1, 2, 3], dtype=int32)
    """
    arr, values = asarray(arr), asarray(values)
    if axis is not None and arr.ndim != values.ndim:
        raise ValueError(
            f"numpy.append: arr and values must have the same number of axes, got {arr.ndim} and {values.ndim}."
        )
    return NUMPY["concatenate"]((arr, values), axis)


@row()
def tile(a: Array, reps: Shape) -> Array:
    """Return the Tensor repeated as a whole, `reps` times along each axis.

    Args:
        a: An array-like.
        reps: How often along each axis, an int or several.

    Examples:
        >>> ms.numpy.tile([1, 2], (2, 2)).asnumpy()
        array([[1, 2, 1, 2],
               [1, 2, 1, 2]], dtype=int32)
    """
    return jnp.tile(a, reps)


@row()
def repeat(a: Array, repeats: Static, axis: Static = None) -> Array:
    """Return the array with its elements repeated along an axis; if `axis` is None, the array is flattened first.

    Args:
        a: An array-like.
        repeats: How often: an int, or one for each element along the axis.
        axis: The axis; None flattens the array.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.repeat([1, 2], [1, 2]).asnumpy()
        array([1, 2, 2], dtype=int32)
    """
    counts = np.asarray(repeats)
    size = a.size if axis is None else a.shape[axes.one(axis, a.ndim)]
    if counts.size == 1 and size:
        return jnp.repeat(a, int(counts.reshape(-1)[0]), axis)
    total = int(counts.sum()) if counts.size > 1 else 0
    return jnp.repeat(a, jnp.asarray(counts), axis, total_repeat_length=total)


# --- splitting ------------------------------------------------------------------------------------------------------


def _split(label: str, x: Tensor, sections: object, axis: int, even: bool) -> tuple[Tensor, ...]:
    axis = axes.one(axis, x.ndim)
    if isinstance(sections, int) and (sections < 1 or (even and x.shape[axis] % sections)):
        raise ValueError(
            f"{label}: axis {axis} of size {x.shape[axis]} does not split evenly into {sections} sections."
        )
    return cut_evenly(label, x, sections, axis)


def _splitter(name: str, axis: int) -> None:
    def splitter(x: Any, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
        x = asarray(x)
        return _split(f"numpy.{name}", x, indices_or_sections, 0 if name == "hsplit" and x.ndim == 1 else axis, True)

    splitter.__name__, splitter.__doc__ = name, _SPLITTER.format(name=name, axis=axis, count=axis + 1)
    NUMPY[name] = splitter


@public()
def split(x: ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Return the Tensor in so many equal parts along an axis, or cut at the given indices.

    Args:
        x: An array-like.
        indices_or_sections: The number of equal parts, or a tuple of indices to cut before.
        axis: The axis, counted from the end where it is negative.

    Raises:
        ValueError: If equal parts are not possible.

    Examples:
        >>> [t.tolist() for t in ms.numpy.split([1, 2, 3, 4], 2)]
        [[1, 2], [3, 4]]
    """
    return _split("numpy.split", asarray(x), indices_or_sections, axis, True)


@public()
def array_split(x: ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Return the Tensor in so many parts along an axis; the first ones are longer if equal parts are not possible.

    Args:
        x: An array-like.
        indices_or_sections: The number of parts, or a tuple of indices to cut before.
        axis: The axis, counted from the end where it is negative.

    Returns:
        A tuple of Tensors.

    Raises:
        ValueError: If the number of parts is not positive, or the axis is out of range.

    Examples:
        >>> [t.tolist() for t in ms.numpy.array_split([1, 2, 3], 2)]
        [[1, 2], [3]]
    """
    return _split("numpy.array_split", asarray(x), indices_or_sections, axis, False)


_SPLITTER = """Return the Tensor in so many equal parts along axis {axis}, or cut at the given indices.

    Args:
        x: An array-like with at least {count} axes (for `hsplit`, a vector too).
        indices_or_sections: The number of equal parts, or a tuple of indices to cut before.

    Raises:
        ValueError: If equal parts are not possible.

    Examples:
        >>> len(ms.numpy.{name}(ops.ones((2, 2, 2)), 2))
        2
    """

_splitter("vsplit", 0)
_splitter("hsplit", 1)
_splitter("dsplit", 2)


# --- padding and flat indices -------------------------------------------------------------------------------------------

_MODES = {
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "edge": (),
    "wrap": (),
    "empty": (),
}


@internal("numpy.pad")
def _pad(arr: Array, width: Static, mode: Static, options: Static) -> Array:
    if not callable(mode):
        return jnp.pad(arr, width, mode, **dict(options)).astype(arr.dtype)

    def per_vector(vector: Array, *rest: object) -> Array:
        padded: Any = mode(wrap(vector), *rest)
        return padded._data

    return jnp.pad(arr, width, per_vector, **dict(options))


@public()
def pad(
    arr: ArrayLike,
    pad_width: object,
    mode: str | Callable[..., Any] = "constant",
    stat_length: object = None,
    constant_values: object = 0,
    end_values: object = 0,
    reflect_type: str = "even",
    **kwargs: object,
) -> Tensor:
    """Return the Tensor with new elements before and after those of each axis.

    Args:
        arr: The Tensor.
        pad_width: How many: (before, after) for each axis, one pair for all, or one number.
        mode: `"constant"`, `"edge"`, `"linear_ramp"`, `"maximum"`, `"mean"`, `"minimum"`, `"reflect"`, `"symmetric"`,
            `"wrap"`, `"empty"` (zeros), or a function `(vector, pad_width, axis, kwargs) -> vector`.
        stat_length: How many elements at each edge `"maximum"`, `"mean"` and `"minimum"` look at.
        constant_values, end_values: The values of `"constant"`, and of the far ends of `"linear_ramp"`.
        reflect_type: `"even"` or `"odd"`, for `"reflect"` and `"symmetric"`.
        kwargs: Options for a function.

    Raises:
        ValueError: If `mode` is unknown.

    Examples:
        >>> ms.numpy.pad([1, 2], 1).asnumpy()
        array([0, 1, 2, 0], dtype=int32)
    """
    arr = asarray(arr)
    if not arr.ndim:
        return arr
    settings = {"stat_length": stat_length, "constant_values": constant_values, "end_values": end_values}
    settings["reflect_type"] = reflect_type
    if callable(mode):
        return _pad(arr, pad_width, mode, tuple(kwargs.items()))
    if mode not in _MODES:
        raise ValueError(f"numpy.pad: mode must be one of {', '.join(_MODES)} or a function, got {mode!r}.")
    options = tuple((name, settings[name]) for name in _MODES[mode] if settings[name] is not None)
    return _pad(arr, pad_width, mode, options)


@internal("numpy.unravel_index")
def _unravel_index(indices: Array, shape: Shape, order: str) -> tuple[Array, ...]:
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}.")
    total = int(np.prod(shape))
    flat = jnp.clip(indices, -total, total - 1) % total
    sizes = shape if order == "C" else shape[::-1]
    coordinates = jnp.unravel_index(flat, sizes)
    return tuple(v.astype(indices.dtype) for v in (coordinates if order == "C" else coordinates[::-1]))


@public()
def unravel_index(indices: ArrayLike, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    """Return the index along each axis of flat indices into `shape`; indices out of range are limited to it.

    Args:
        indices: Flat indices; negative ones count from the end.
        shape: The sizes of the axes.
        order: `"C"` (the last axis varies fastest) or `"F"` (the first does).

    Raises:
        ValueError: If `order` is unknown.

    Examples:
        >>> [v.tolist() for v in ms.numpy.unravel_index([1, 5], (2, 3))]
        [[0, 1], [1, 2]]
    """
    return _unravel_index(asarray(indices), (shape,) if isinstance(shape, int) else shape, order)


@internal("numpy.ravel_multi_index")
def _ravel_multi_index(index: Array, dims: Shape, mode: str, order: str) -> Array:
    if mode not in ("clip", "wrap"):
        raise ValueError(f"mode must be 'clip' or 'wrap', got {mode!r}.")
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}.")
    if index.shape[0] != len(dims):
        raise ValueError(f"multi_index must have {len(dims)} entries, got {index.shape[0]}.")
    sizes = dims if order == "C" else dims[::-1]
    strides = np.concatenate([np.cumprod(np.asarray(sizes[:0:-1], np.int64))[::-1], np.ones(1, np.int64)])
    strides = strides if order == "C" else strides[::-1]
    shaped = (-1,) + (1,) * (index.ndim - 1)
    limits = jnp.asarray(np.asarray(dims).reshape(shaped), index.dtype)
    zero = jnp.zeros((), index.dtype)
    inside = jnp.clip(index, zero, limits - 1) if mode == "clip" else index % limits
    return jnp.sum(inside * jnp.asarray(strides.reshape(shaped), index.dtype), 0, dtype=np.int64).astype(np.int32)


@public()
def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "clip", order: str = "C") -> Tensor:
    """Return the flat indices of indices along each axis.

    Args:
        multi_index: For each axis its indices.
        dims: The sizes of the axes.
        mode: The treatment of indices out of range: `"clip"` limits them, `"wrap"` counts round.
        order: `"C"` (the last axis varies fastest) or `"F"` (the first does).

    Raises:
        TypeError: If `multi_index` holds no integers.
        ValueError: If `mode` or `order` is unknown, or an axis has no indices.

    Examples:
        >>> ms.numpy.ravel_multi_index(([0, 1], [1, 2]), (2, 3)).asnumpy()
        array([1, 5], dtype=int32)
    """
    index = NUMPY["stack"](multi_index) if isinstance(multi_index, (tuple, list)) else asarray(multi_index)
    if index._data.dtype.kind not in "iu":
        raise TypeError(f"numpy.ravel_multi_index: multi_index must hold integers, got {index.dtype}.")
    return _ravel_multi_index(index, (dims,) if isinstance(dims, int) else dims, mode, order)
