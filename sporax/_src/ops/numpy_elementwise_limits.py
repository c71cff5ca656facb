"""Functions of `numpy` that compare elements, or limit them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.core.dtype import promote, to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops.extremes import choice
from sporax._src.ops.numpy_base import NUMPY, asarray, public, row, typed
from sporax._src.ops.table import internal


def _meeting(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Return both as Tensors; a Python number takes the dtype of a Tensor it meets."""
    numbers = [isinstance(x, (bool, int, float)) for x in (x1, x2)]
    if numbers == [False, True]:
        x1 = asarray(x1)
        return x1, asarray(x2, x1.dtype)
    if numbers == [True, False]:
        x2 = asarray(x2)
        return asarray(x1, x2.dtype), x2
    return asarray(x1), asarray(x2)


larger = internal("numpy.maximum")(choice(jnp.greater, jnp.maximum))
larger.__doc__ = "Return the larger of each pair of elements; NaN if either is."
smaller = internal("numpy.minimum")(choice(jnp.less, jnp.minimum))
smaller.__doc__ = "Return the smaller of each pair of elements; NaN if either is."


@public()
def maximum(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """Return the larger of each pair of elements; NaN if either is.

    `ops.maximum` and `ops.fmax` have other rules for NaN.

    Args:
        x1: An array-like; a number takes the dtype of a Tensor it meets.
        x2: An array-like that broadcasts with `x1`.
        dtype: The dtype of the result.

    Raises:
        TypeError: If the shapes do not broadcast.

    Examples:
        >>> ms.numpy.maximum([1, 5], [3, 2]).asnumpy()
        array([3, 5], dtype=int32)
    """
    return typed(larger(*_meeting(x1, x2)), dtype)


@public()
def minimum(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """Return the smaller of each pair of elements; NaN if either is.

    `ops.minimum` and `ops.fmin` have other rules for NaN.

    Args:
        x1: An array-like; a number takes the dtype of a Tensor it meets.
        x2: An array-like that broadcasts with `x1`.
        dtype: The dtype of the result.

    Raises:
        TypeError: If the shapes do not broadcast.

    Examples:
        >>> ms.numpy.minimum([1, 5], [3, 2]).asnumpy()
        array([1, 2], dtype=int32)
    """
    return typed(smaller(*_meeting(x1, x2)), dtype)


@public()
def clip(x: Any, xmin: Any, xmax: Any, dtype: Any = None) -> Tensor:
    """Return the elements limited to [xmin, xmax]; one of the two limits may be None.

    Args:
        x: An array-like.
        xmin: The lower limit, or None.
        xmax: The upper limit, or None.
        dtype: The dtype of the result.

    Raises:
        ValueError: If both limits are None.

    Examples:
        >>> ms.numpy.clip([1, 5, 9], 2, 6).asnumpy()
        array([2, 5, 6], dtype=int32)
    """
    if xmin is None and xmax is None:
        raise ValueError("numpy.clip: one of xmin and xmax must not be None.")
    x = asarray(x)
    if xmin is not None:
        x = NUMPY["maximum"](x, xmin)
    return typed(x if xmax is None else NUMPY["minimum"](x, xmax), dtype)


@row()
def isneginf(x: Array) -> Array:
    """Return whether the elements are -∞.

    Args:
        x: An array-like.

    Examples:
        >>> ms.numpy.isneginf([1.0, -np.inf]).asnumpy()
        array([False,  True])
    """
    return jnp.isneginf(to_float(x))


@row()
def isposinf(x: Array) -> Array:
    """Return whether the elements are +∞.

    Args:
        x: An array-like.

    Examples:
        >>> ms.numpy.isposinf([1.0, np.inf]).asnumpy()
        array([False,  True])
    """
    return jnp.isposinf(to_float(x))


@row()
def isclose(a: Array, b: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    """Return whether |a - b| <= atol + rtol · |b|, element by element.

    Args:
        a: An array-like.
        b: An array-like that broadcasts with `a`.
        rtol: The relative tolerance.
        atol: The absolute tolerance.
        equal_nan: Whether NaN equals NaN.

    Raises:
        TypeError: If the shapes do not broadcast.

    Examples:
        >>> ms.numpy.isclose([1.0, 2.0], [1.0, 2.1]).asnumpy()
        array([ True, False])
    """
    a, b = unify(to_float(a), to_float(b))
    return jnp.isclose(a, b, rtol, atol, equal_nan)


@public()
def promote_types(type1: Any, type2: Any) -> Any:
    """Return the dtype in which Tensors of the two dtypes meet.

    Args:
        type1: A dtype.
        type2: A dtype.

    Raises:
        TypeError: If one is no dtype.

    Examples:
        >>> ms.numpy.promote_types(ms.int32, ms.float16)
        mindspore.float16
    """
    return result_type(asarray(0, type1), asarray(0, type2))


@public()
def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype in which the given Tensors, numbers and dtypes meet.

    Args:
        arrays_and_dtypes: Tensors, numbers, nested sequences and dtypes.

    Raises:
        TypeError: If there is none.

    Examples:
        >>> ms.numpy.result_type(Tensor([1]), ms.float32)
        mindspore.float32
    """
    if not arrays_and_dtypes:
        raise TypeError("numpy.result_type: expected at least one array or dtype.")
    met = None
    for value in arrays_and_dtypes:
        is_array = isinstance(value, (Tensor, int, float, bool, list, tuple)) and not isinstance(value, type)
        dtype = (asarray(value) if is_array else asarray(0, value))._data.dtype
        met = dtype if met is None else _meet(met, dtype)
    return asarray(0, met).dtype


def _meet(a: np.dtype, b: np.dtype) -> np.dtype:
    """Return MindSpore's promotion, and NumPy's for the unsigned types that have none there."""
    try:
        return promote(a, b)
    except TypeError:
        return np.promote_types(a, b)
