"""Functions of `numpy` that choose elements, or apply functions to parts of a Tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, Static, number
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.numpy_arrays import expand_dims, reshape
from sporax._src.ops.numpy_base import NUMPY, asarray, public, row
from sporax._src.ops.table import internal


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
        mode: What becomes of indices out of range: "clip" limits them, "wrap" counts round, "raise" gives NaN or the
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
    """Return for each place of `indices` the element at that index along an axis; other axes broadcast.

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
    """Return for each place the element of the first choice whose condition is true, or the default.

    Args:
        condlist: A sequence of conditions.
        choicelist: As many array-likes; all broadcast.
        default: What stands where no condition is true.

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
def choose(a: Any, choices: Any, mode: str = "clip") -> Tensor:
    """Return for each place the element of the choice whose number `a` holds there.

    Args:
        a: Integers.
        choices: A sequence of array-likes that broadcast with `a`.
        mode: What becomes of numbers out of range: "clip" limits them, "wrap" counts round, "raise" is an error.

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
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Tensor:
    """Return for each place the value of the function (or the number) whose condition is true there.

    Args:
        x: The arguments of the functions.
        condlist: Conditions of the shape of x; later ones win.
        funclist: A function or number for each condition, and one more for the places where none is true.
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
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Tensor:
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
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Sequence[int] | int) -> Tensor:
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
