"""Functions of `numpy` that make Tensors: zeros, arange, linspace, ..., and its constants."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes, creation, shape
from sporax._src.ops.numpy_base import NUMPY, as_dtype, asarray, np_dtype, public, row
from sporax._src.ops.table import internal

# --- from values ----------------------------------------------------------------------------------------------------


@public()
def array(obj: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """Return a Tensor of a number, nested sequence, NumPy array or Tensor with at least `ndmin` axes.

    Args:
        obj: The values.
        dtype: The dtype wanted; int32 and float32 for Python numbers if None.
        copy: Whether to make a new object of a Tensor; values are never shared.
        ndmin: The least number of axes; axes of size 1 are put in front.

    Raises:
        TypeError: If `obj` holds no numbers.
        ValueError: If `ndmin` asks for axes of an empty Tensor.

    Examples:
        >>> ms.numpy.array([1, 2], ndmin=2).asnumpy()
        array([[1, 2]], dtype=int32)
    """
    made = asarray(obj, dtype)
    if ndmin > made.ndim:
        if not made.size:
            raise ValueError(f"numpy.array: ndmin={ndmin} needs elements to add axes, got shape {list(made.shape)}.")
        made = shape.reshape(made, (1,) * (ndmin - made.ndim) + made.shape)
    return Tensor(made) if copy and made is obj else made


@public()
def asfarray(a: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return the values as floats: `dtype` if it is a float type, else float32.

    Args:
        a: An array-like.
        dtype: The dtype; another than a float dtype counts as float32.

    Examples:
        >>> ms.numpy.asfarray([1, 2]).asnumpy()
        array([1., 2.], dtype=float32)
    """
    wanted = mstype.float32 if dtype is None else as_dtype(dtype)
    return asarray(a, wanted if wanted.kind == "f" else mstype.float32)


@public()
def copy(a: Any) -> Tensor:
    """Return a new Tensor with the values of `a`.

    Args:
        a: An array-like.

    Examples:
        >>> ms.numpy.copy([1, 2]).asnumpy()
        array([1, 2], dtype=int32)
    """
    return Tensor(asarray(a))


@public()
def zeros(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a Tensor of zeros.

    Args:
        shape: An int or several, or a Tensor of them.
        dtype: The dtype; float32 by default.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ms.numpy.zeros((2, 2)).asnumpy()
        array([[0., 0.],
               [0., 0.]], dtype=float32)
    """
    return creation.zeros(_shape(shape), as_dtype(dtype))


@public()
def ones(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a Tensor of ones.

    Args:
        shape: An int or several, or a Tensor of them.
        dtype: The dtype; float32 by default.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ms.numpy.ones((2, 2)).asnumpy()
        array([[1., 1.],
               [1., 1.]], dtype=float32)
    """
    return creation.ones(_shape(shape), as_dtype(dtype))


@public()
def empty(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a Tensor of zeros: there is no uninitialised memory here.

    Args:
        shape: An int or several, or a Tensor of them.
        dtype: The dtype; float32 by default.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ms.numpy.empty((2, 3)).shape
        (2, 3)
    """
    return zeros(shape, dtype)


def _shape(shape: Any) -> tuple[int, ...]:
    return axes.fixed_sizes(shape.tolist() if isinstance(shape, Tensor) else shape)


@public()
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """Return a Tensor of `shape` filled with a value, or with a Tensor that broadcasts to it.

    Args:
        shape: An int or several, or a Tensor of them.
        fill_value: A number or array-like.
        dtype: The dtype; that of the value if None.

    Raises:
        ValueError: If a size is negative, or the value does not broadcast.

    Examples:
        >>> ms.numpy.full((2, 2), 3).asnumpy()
        array([[3, 3],
               [3, 3]], dtype=int32)
    """
    return _full(_shape(shape), asarray(fill_value, dtype))


@internal("numpy.full")
def _full(shape: Shape, value: Array) -> Array:
    return jnp.broadcast_to(value, shape)


@public()
def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return zeros of the shape and dtype of `a`, unless given.

    Args:
        a: An array-like.
        dtype: The dtype; that of `a` if None.
        shape: The shape; that of `a` if None.

    Examples:
        >>> ms.numpy.zeros_like([1, 2]).asnumpy()
        array([0, 0], dtype=int32)
    """
    a = asarray(a)
    return zeros(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)


@public()
def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return ones of the shape and dtype of `a`, unless given.

    Args:
        a: An array-like.
        dtype: The dtype; that of `a` if None.
        shape: The shape; that of `a` if None.

    Examples:
        >>> ms.numpy.ones_like([5, 6]).asnumpy()
        array([1, 1], dtype=int32)
    """
    a = asarray(a)
    return ones(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)


@public()
def empty_like(prototype: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return zeros of the shape and dtype of `prototype`, unless given.

    Args:
        prototype: An array-like.
        dtype: The dtype; that of `prototype` if None.
        shape: The shape; that of `prototype` if None.

    Examples:
        >>> ms.numpy.empty_like([1, 2]).shape
        (2,)
    """
    return zeros_like(prototype, dtype, shape)


@public()
def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return a Tensor of the shape and dtype of `a`, unless given, filled with a value.

    Args:
        a: An array-like.
        fill_value: A number or array-like.
        dtype: The dtype; that of `a` if None.
        shape: The shape; that of `a` if None.

    Examples:
        >>> ms.numpy.full_like([1, 2], 7).asnumpy()
        array([7, 7], dtype=int32)
    """
    a = asarray(a)
    return full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


# --- sequences ------------------------------------------------------------------------------------------------------


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


@public()
def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    """Return the numbers from `start` (0 if only one is given) up to, not including, `stop` in steps of `step`.

    Args:
        start: The first number; with one argument the end.
        stop: The end, which is left out.
        step: The distance of neighbours; 1 if None.
        dtype: The dtype; int32 if all are integers, else float32.

    Examples:
        >>> ms.numpy.arange(1, 7, 2).asnumpy()
        array([1, 3, 5], dtype=int32)
    """
    start, stop, step = _number(start), _number(stop), 1 if step is None else _number(step)
    if stop is None:
        start, stop = 0, start
    whole = all(isinstance(v, int) for v in (start, stop, step))
    return creation.arange(
        start, stop, step, dtype=as_dtype(int if whole else float) if dtype is None else as_dtype(dtype)
    )


def _count(num: Any) -> int:
    if isinstance(num, bool) or not isinstance(num, int) or num < 1:
        raise ValueError(f"num must be a positive int, got {num!r}.")
    return num


def _ends(start: Array, stop: Array) -> tuple[Array, Array]:
    start, stop = unify(to_float(start), to_float(stop))
    return start, stop


@internal("numpy.linspace")
def _linspace(start: Array, stop: Array, num: int, endpoint: bool, dtype: Static, axis: int) -> tuple[Array, Array]:
    start, stop = _ends(start, stop)
    steps = _count(num) - 1 if endpoint else num
    out = jnp.linspace(start, stop, num, endpoint=endpoint, dtype=start.dtype, axis=axis)
    gap = (stop - start) / steps if steps else jnp.full_like(start, np.nan)
    return out.astype(np_dtype(dtype, np.float32)), gap


@public()
def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """Return `num` numbers at equal distances from `start` to `stop`.

    Args:
        start, stop: Numbers or Tensors; with Tensors there is a sequence for each pair.
        num: How many numbers.
        endpoint: Whether `stop` is the last of them.
        retstep: Whether to return the distance too.
        dtype: The dtype; float32 if None.
        axis: The new axis along which the numbers lie.

    Raises:
        ValueError: If `num` is not a positive int.

    Examples:
        >>> ms.numpy.linspace(0, 1, 3).asnumpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    out, gap = _linspace(asarray(start), asarray(stop), num, endpoint, dtype, axis)
    return (out, gap) if retstep else out


@row()
def logspace(
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Static = None,
    axis: int = 0,
) -> Array:
    """Return base^x for `num` numbers x at equal distances from `start` to `stop`.

    Args:
        start, stop: The first and the last exponent: numbers or Tensors.
        num: How many numbers.
        endpoint: Whether `stop` is the last exponent.
        base: The base of the powers.
        dtype: The dtype; float32 if None.
        axis: The new axis along which the numbers lie.

    Raises:
        ValueError: If `num` is not a positive int.

    Examples:
        >>> ms.numpy.logspace(0, 2, 3).asnumpy().round(2)
        array([  1.,  10., 100.], dtype=float32)
    """
    start, stop = _ends(start, stop)
    powers = jnp.linspace(start, stop, _count(num), endpoint=endpoint, dtype=start.dtype, axis=axis)
    return jnp.power(jnp.asarray(base, powers.dtype), powers).astype(np_dtype(dtype, np.float32))


@row()
def geomspace(
    start: Array, stop: Array, num: int = 50, endpoint: bool = True, dtype: Static = None, axis: int = 0
) -> Array:
    """Return `num` numbers from `start` to `stop`, each the same multiple of the one before.

    Args:
        start, stop: The first and the last number: numbers or Tensors.
        num: How many numbers.
        endpoint: Whether `stop` is the last of them.
        dtype: The dtype; float32 if None.
        axis: The new axis along which the numbers lie.

    Raises:
        ValueError: If `num` is not a positive int.

    Examples:
        >>> ms.numpy.geomspace(1, 4, 3).asnumpy().round(3)
        array([1., 2., 4.], dtype=float32)
    """
    start, stop = _ends(start, stop)
    return jnp.geomspace(start, stop, _count(num), endpoint, start.dtype, axis).astype(np_dtype(dtype, np.float32))


# --- names of types and numbers -------------------------------------------------------------------------------------

_TYPES = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
NUMPY.update({name: getattr(mstype, name) for name in _TYPES.split()})
NUMPY.update(int_=mstype.int32, uint=mstype.uint32, float_=mstype.float32)
NUMPY.update(inf=math.inf, nan=math.nan, pi=math.pi, PINF=math.inf, NINF=-math.inf)
