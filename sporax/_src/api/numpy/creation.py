"""Functions of `numpy` that make Tensors: ranges, matrices, random numbers, grids and windows; its constants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from sporax._src.api.numpy.asarray import NUMPY, as_dtype, asarray, np_dtype, public, row, typed
from sporax._src.base.typing import Array, Arrays, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.conversion import converted
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import internal
from sporax._src.ops.array import creation, shape
from sporax._src.ops.array.cast import cast

# --- from values ----------------------------------------------------------------------------------------------------


@public()
def array(obj: ArrayLike, dtype: mstype.TypeLike | None = None, copy: bool = True, ndmin: int = 0) -> Tensor:
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
    tensor = asarray(obj, dtype)
    if ndmin > tensor.ndim:
        if not tensor.size:
            raise ValueError(f"numpy.array: ndmin={ndmin} needs elements to add axes, got shape {list(tensor.shape)}.")
        tensor = shape.reshape(tensor, (1,) * (ndmin - tensor.ndim) + tensor.shape)
    return Tensor(tensor) if copy and tensor is obj else tensor


@public()
def asfarray(a: ArrayLike, dtype: mstype.TypeLike = mstype.float32) -> Tensor:
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
def copy(a: ArrayLike) -> Tensor:
    """Return a new Tensor with the values of `a`.

    Args:
        a: An array-like.

    Examples:
        >>> ms.numpy.copy([1, 2]).asnumpy()
        array([1, 2], dtype=int32)
    """
    return Tensor(asarray(a))


@public()
def zeros(shape: int | Sequence[int], dtype: mstype.TypeLike = mstype.float32) -> Tensor:
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
def ones(shape: int | Sequence[int], dtype: mstype.TypeLike = mstype.float32) -> Tensor:
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
def empty(shape: int | Sequence[int], dtype: mstype.TypeLike = mstype.float32) -> Tensor:
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


def _shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    return axes.fixed_sizes(shape.tolist() if isinstance(shape, Tensor) else shape)


@public()
def full(shape: int | Sequence[int], fill_value: ArrayLike, dtype: mstype.TypeLike | None = None) -> Tensor:
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
def zeros_like(a: ArrayLike, dtype: mstype.TypeLike | None = None, shape: int | Sequence[int] | None = None) -> Tensor:
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
def ones_like(a: ArrayLike, dtype: mstype.TypeLike | None = None, shape: int | Sequence[int] | None = None) -> Tensor:
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
def empty_like(
    prototype: ArrayLike, dtype: mstype.TypeLike | None = None, shape: int | Sequence[int] | None = None
) -> Tensor:
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
def full_like(
    a: ArrayLike, fill_value: ArrayLike, dtype: mstype.TypeLike | None = None, shape: int | Sequence[int] | None = None
) -> Tensor:
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
    """Return a Python number for a Tensor or array of one element."""
    single = isinstance(value, (Tensor, np.generic, np.ndarray)) and value.size == 1
    return value.item() if single else value


@public()
def arange(
    start: ArrayLike, stop: ArrayLike | None = None, step: object = None, dtype: mstype.TypeLike | None = None
) -> Tensor:
    """Return the numbers from `start` (0 if only one is given) up to, not including, `stop` in steps of `step`.

    Args:
        start: The first number; with one argument the end.
        stop: The end, which is left out.
        step: The distance of neighbours; 1 if None.
        dtype: The dtype. If None, int32 if all are ints of Python, else float32.

    Examples:
        >>> ms.numpy.arange(1, 7, 2).asnumpy()
        array([1, 3, 5], dtype=int32)
    """
    whole = all(isinstance(v, int) for v in (start, stop, step) if v is not None)
    start, stop, step = _number(start), _number(stop), 1 if step is None else _number(step)
    if stop is None:
        start, stop = 0, start
    return creation.arange(
        start, stop, step, dtype=as_dtype(int if whole else float) if dtype is None else as_dtype(dtype)
    )


def _count(num: object) -> int:
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
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: mstype.TypeLike | None = None,
    axis: int = 0,
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
    return converted(jnp.power(jnp.asarray(base, powers.dtype), powers), np_dtype(dtype, np.float32))


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
    return converted(jnp.geomspace(start, stop, _count(num), endpoint, start.dtype, axis), np_dtype(dtype, np.float32))


# --- names of types and numbers -------------------------------------------------------------------------------------

_TYPES = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
NUMPY.update({name: getattr(mstype, name) for name in _TYPES.split()})
NUMPY.update(int_=mstype.int32, uint=mstype.uint32, float_=mstype.float32)
NUMPY.update(inf=math.inf, nan=math.nan, pi=math.pi, PINF=math.inf, NINF=-math.inf)


# --- matrices, triangles and diagonals ----------------------------------------------------------------------------------


@row()
def eye(N: Static, M: Static = None, k: int = 0, dtype: Static = mstype.float32) -> Array:
    """Return the (N, M) matrix with ones on its diagonal number `k`.

    Args:
        N: The number of rows.
        M: The number of columns; N if None.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        dtype: The dtype; float32 by default.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ms.numpy.eye(2).asnumpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    rows, columns = axes.fixed_sizes((N, N if M is None else M), "N and M")
    return jnp.eye(rows, columns, k, np_dtype(dtype, np.float32))


@public()
def identity(n: int, dtype: mstype.TypeLike = mstype.float32) -> Tensor:
    """Return the (n, n) identity matrix.

    Args:
        n: The size.
        dtype: The dtype; float32 by default.

    Raises:
        ValueError: If the size is negative.

    Examples:
        >>> ms.numpy.identity(2).asnumpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    return eye(n, dtype=dtype)


@row()
def tri(N: int, M: Static = None, k: int = 0, dtype: Static = mstype.float32) -> Array:
    """Return the (N, M) matrix with ones at and below its diagonal number `k`.

    Args:
        N: The number of rows.
        M: The number of columns; N if None.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        dtype: The dtype; float32 by default.

    Examples:
        >>> ms.numpy.tri(2, 3).asnumpy()
        array([[1., 0., 0.],
               [1., 1., 0.]], dtype=float32)
    """
    return jnp.tri(N, M, k, np_dtype(dtype, np.float32))


@row()
def tril(m: Array, k: int = 0) -> Array:
    """Return the matrices with zeros above their diagonal number `k`.

    Args:
        m: An array-like with at least 2 axes.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Examples:
        >>> ms.numpy.tril([[1, 2], [3, 4]]).asnumpy()
        array([[1, 0],
               [3, 4]], dtype=int32)
    """
    return creation.tril.raw(m, k)


@row()
def triu(m: Array, k: int = 0) -> Array:
    """Return the matrices with zeros below their diagonal number `k`.

    Args:
        m: An array-like with at least 2 axes.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Examples:
        >>> ms.numpy.triu([[1, 2], [3, 4]]).asnumpy()
        array([[1, 2],
               [0, 4]], dtype=int32)
    """
    return creation.triu.raw(m, k)


def _indices(indices: tuple[np.ndarray, ...]) -> tuple[Tensor, ...]:
    return tuple(Tensor(v.astype(np.int32)) for v in indices)


@public()
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, ...]:
    """Return the row and the column indices of the lower triangle of an (n, m) matrix.

    Args:
        n: The number of rows.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        m: The number of columns; n if None.

    Returns:
        Two int32 vectors.

    Examples:
        >>> [v.tolist() for v in ms.numpy.tril_indices(2)]
        [[0, 1, 1], [0, 0, 1]]
    """
    return _indices(creation.triangle("numpy.tril_indices: n and m", n, n if m is None else m, k, is_lower=True))


@public()
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, ...]:
    """Return the row and the column indices of the upper triangle of an (n, m) matrix.

    Args:
        n: The number of rows.
        k: The diagonal: 0 is the main one, positive ones lie above it.
        m: The number of columns; n if None.

    Returns:
        Two int32 vectors.

    Examples:
        >>> [v.tolist() for v in ms.numpy.triu_indices(2)]
        [[0, 0, 1], [0, 1, 1]]
    """
    return _indices(creation.triangle("numpy.triu_indices: n and m", n, n if m is None else m, k, is_lower=False))


def _size_of(arr: ArrayLike, name: str) -> tuple[int, int]:
    sizes = asarray(arr).shape
    if len(sizes) != 2:
        raise ValueError(f"numpy.{name}: arr must be a matrix, got {len(sizes)} axes.")
    return sizes


@public()
def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices of the lower triangle of the matrix `arr`.

    Args:
        arr: A matrix.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Returns:
        Two int32 vectors.

    Raises:
        ValueError: If `arr` is not a matrix.

    Examples:
        >>> [v.tolist() for v in ms.numpy.tril_indices_from([[1, 2], [3, 4]])]
        [[0, 1, 1], [0, 0, 1]]
    """
    n, m = _size_of(arr, "tril_indices_from")
    return tril_indices(n, k, m)


@public()
def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices of the upper triangle of the matrix `arr`.

    Args:
        arr: A matrix.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Returns:
        Two int32 vectors.

    Raises:
        ValueError: If `arr` is not a matrix.

    Examples:
        >>> [v.tolist() for v in ms.numpy.triu_indices_from([[1, 2], [3, 4]])]
        [[0, 0, 1], [0, 1, 1]]
    """
    n, m = _size_of(arr, "triu_indices_from")
    return triu_indices(n, k, m)


@public()
def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Return the indices of the main diagonal of an array of `ndim` axes of size `n`.

    Args:
        n: The size of each axis.
        ndim: The number of axes.

    Returns:
        `ndim` int32 vectors of n elements.

    Raises:
        TypeError: If an argument is not an int.

    Examples:
        >>> [v.tolist() for v in ms.numpy.diag_indices(2)]
        [[0, 1], [0, 1]]
    """
    if not isinstance(n, int) or not isinstance(ndim, int):
        raise TypeError(f"numpy.diag_indices: n and ndim must be ints, got {n!r} and {ndim!r}.")
    return (arange(n),) * ndim


@row()
def diag(v: Array, k: int = 0) -> Array:
    """Return the matrix with the vector `v` on diagonal number `k`, or that diagonal of the matrix `v`.

    Args:
        v: A vector or matrix.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Raises:
        ValueError: If `v` is neither.

    Examples:
        >>> ms.numpy.diag([1, 2]).asnumpy()
        array([[1, 0],
               [0, 2]], dtype=int32)
    """
    if v.ndim not in (1, 2):
        raise ValueError(f"v must have 1 or 2 axes, got {v.ndim}.")
    return jnp.diag(v, k)


@row()
def diagflat(v: Array, k: int = 0) -> Array:
    """Return the matrix with the flattened `v` on diagonal number `k`.

    Args:
        v: An array-like.
        k: The diagonal: 0 is the main one, positive ones lie above it.

    Examples:
        >>> ms.numpy.diagflat([[1, 2]]).asnumpy()
        array([[1, 0],
               [0, 2]], dtype=int32)
    """
    return jnp.diagflat(v, k)


@row()
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the diagonals of the planes that two axes span; their elements lie along the last axis.

    Args:
        a: An array-like with at least 2 axes.
        offset: The diagonal: 0 is the main one, positive ones lie above it.
        axis1, axis2: The axes of rows and columns.

    Raises:
        ValueError: If there are fewer axes, or one is out of range.

    Examples:
        >>> ms.numpy.diagonal([[1, 2], [3, 4]]).asnumpy()
        array([1, 4], dtype=int32)
    """
    _two_axes(a, axis1, axis2)
    return jnp.diagonal(a, offset, axis1, axis2)


def _two_axes(a: Array, axis1: int, axis2: int) -> None:
    if a.ndim < 2:
        raise ValueError(f"a must have at least 2 axes, got {a.ndim}.")
    axes.several((axis1, axis2), a.ndim)


@row()
def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Static = None) -> Array:
    """Return the sums of the diagonals of the planes that two axes span.

    Args:
        a: An array-like with at least 2 axes.
        offset: The diagonal: 0 is the main one, positive ones lie above it.
        axis1, axis2: The axes of rows and columns.
        dtype: The dtype of the sums; int64 for integers, else that of `a`, if None.

    Raises:
        ValueError: If there are fewer axes, or one is out of range.

    Examples:
        >>> int(ms.numpy.trace([[1, 2], [3, 4]]))
        5
    """
    _two_axes(a, axis1, axis2)
    kind = np_dtype(dtype, np.int64 if a.dtype.kind in "biu" else a.dtype)
    return jnp.sum(jnp.diagonal(a, offset, axis1, axis2), -1, dtype=kind)


@row()
def vander(x: Array, N: Static = None, increasing: bool = False) -> Array:
    """Return the matrix whose columns are powers of the vector `x`, descending unless `increasing`.

    Args:
        x: A vector.
        N: The number of columns; as many as elements if None.
        increasing: Whether the first column holds power 0.

    Raises:
        ValueError: If `x` is not a vector, or `N` is not positive.

    Examples:
        >>> ms.numpy.vander([2, 3], 3).asnumpy()
        array([[4, 2, 1],
               [9, 3, 1]], dtype=int32)
    """
    if x.ndim != 1:
        raise ValueError(f"x must have 1 axis, got {x.ndim}.")
    if N is not None and N <= 0:
        raise ValueError(f"N must be positive, got {N}.")
    return jnp.vander(x, N, increasing)


# --- random numbers -----------------------------------------------------------------------------------------------------


@internal("numpy.rand")
def _rand(key: Key, shape: Shape) -> Array:
    return jax.random.uniform(key, shape, np.float32)


@internal("numpy.randn")
def _randn(key: Key, shape: Shape) -> Array:
    return jax.random.normal(key, shape, np.float32)


@internal("numpy.randint")
def _randint(key: Key, low: Array, high: Array, shape: Shape) -> Array:
    return jax.random.randint(key, shape, low, high, np.int64)


def _of_kind(kind: str, dtype: mstype.TypeLike) -> mstype.Type:
    result = as_dtype(dtype)
    if result.kind != kind:
        raise ValueError(f"dtype must be {'a float' if kind == 'f' else 'a signed integer'} type, got {result}.")
    return result


def _drawn(shape: tuple[Any, ...]) -> tuple[int, ...]:
    return axes.fixed_sizes(shape[0] if len(shape) == 1 else shape) if shape else (1,)


@public()
def rand(*shape: object, dtype: mstype.TypeLike = mstype.float32) -> Tensor:
    """Return draws from the uniform distribution over [0, 1); of shape (1,) without arguments.

    Args:
        shape: The sizes, or one tuple of them.
        dtype: A float dtype.

    Raises:
        ValueError: If a size is negative, or the dtype is not a float dtype.

    Examples:
        >>> ms.numpy.rand(2, 3).shape
        (2, 3)
    """
    return typed(_rand(_drawn(shape)), _of_kind("f", dtype))


@public()
def randn(*shape: object, dtype: mstype.TypeLike = mstype.float32) -> Tensor:
    """Return draws from the standard normal distribution; of shape (1,) without arguments.

    Args:
        shape: The sizes, or one tuple of them.
        dtype: A float dtype.

    Raises:
        ValueError: If a size is negative, or the dtype is not a float dtype.

    Examples:
        >>> ms.numpy.randn(2, 3).shape
        (2, 3)
    """
    return typed(_randn(_drawn(shape)), _of_kind("f", dtype))


@public()
def randint(
    minval: int,
    maxval: int | None = None,
    shape: int | Sequence[int] | None = None,
    dtype: mstype.TypeLike = mstype.int32,
) -> Tensor:
    """Return integers drawn evenly from [minval, maxval), or from [0, minval) without `maxval`.

    Args:
        minval: The least integer, or without `maxval` the one above the greatest.
        maxval: The integer above the greatest.
        shape: The shape; (1,) if None.
        dtype: A signed integer dtype.

    Raises:
        TypeError: If a bound is not an int.
        ValueError: If there is no integer to draw, or the dtype is no signed integer dtype.

    Examples:
        >>> ms.numpy.randint(5, shape=(2, 3)).shape
        (2, 3)
    """
    low, high = (0, minval) if maxval is None else (minval, maxval)
    if not isinstance(low, int) or not isinstance(high, int):
        raise TypeError(f"numpy.randint: minval and maxval must be ints, got {minval!r} and {maxval!r}.")
    if low >= high:
        raise ValueError(f"numpy.randint: minval must be smaller than maxval, got {low} and {high}.")
    return typed(_randint(low, high, (1,) if shape is None else _shape(shape)), _of_kind("i", dtype))


# --- grids ----------------------------------------------------------------------------------------------------------


@internal("numpy.meshgrid")
def _meshgrid(xi: Arrays, sparse: bool, indexing: str) -> tuple[Array, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}.")
    return tuple(jnp.meshgrid(*[jnp.ravel(x) for x in xi], sparse=sparse, indexing=indexing))


@public()
def meshgrid(*xi: ArrayLike, sparse: bool = False, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of a grid, one Tensor for each vector of coordinates.

    Args:
        xi: Vectors of coordinates.
        sparse: Whether axes that repeat keep size 1.
        indexing: "xy" (the first vector runs along axis 1) or "ij" (along axis 0).

    Raises:
        ValueError: If `indexing` is unknown.

    Examples:
        >>> [t.tolist() for t in ms.numpy.meshgrid([1, 2], [3])]
        [[[1, 2]], [[3, 3]]]
    """
    return tuple(_meshgrid([asarray(x) for x in xi], sparse, indexing)) if xi else ()


@public()
def indices(
    dimensions: int | Sequence[int], dtype: mstype.TypeLike = mstype.int32, sparse: bool = False
) -> list[Tensor]:
    """Return the indices of a grid of the given sizes: one Tensor for each axis.

    Args:
        dimensions: The sizes, a tuple or list.
        dtype: The dtype; int32 by default.
        sparse: Whether axes that repeat keep size 1.

    Raises:
        TypeError: If `dimensions` is neither tuple nor list.

    Examples:
        >>> [t.tolist() for t in ms.numpy.indices((2, 2))]
        [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    if not isinstance(dimensions, (tuple, list)):
        raise TypeError(f"numpy.indices: dimensions must be a tuple or list, got {type(dimensions).__name__}.")
    return list(meshgrid(*[arange(d, dtype=dtype) for d in dimensions], sparse=sparse, indexing="ij"))


@public()
def ix_(*args: ArrayLike) -> tuple[Tensor, ...]:
    """Return vectors of indices shaped so that indexing with them selects the cross product.

    Args:
        args: Vectors of indices.

    Raises:
        ValueError: If one is not a vector.

    Examples:
        >>> [t.shape for t in ms.numpy.ix_([0, 1], [1, 2, 3])]
        [(2, 1), (1, 3)]
    """
    vectors = [asarray(a) for a in args]
    if any(v.ndim != 1 for v in vectors):
        raise ValueError("numpy.ix_: every argument must have 1 axis.")
    n = len(vectors)
    return tuple(shape.reshape(v, (1,) * i + (v.size,) + (1,) * (n - 1 - i)) for i, v in enumerate(vectors))


class Grid:
    """An object whose index expression `[a:b:c, ...]` makes a grid; a complex step `nj` asks for n points.

    Args:
        sparse: Whether the coordinates come apart, one Tensor for each axis, and not stacked in one.

    Examples:
        >>> ms.numpy.mgrid[0:2, 0:3].shape
        (2, 2, 3)
    """

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, keys: Any) -> Any:
        if isinstance(keys, slice):
            return self._axis(keys)
        lines = [self._axis(k) for k in keys]
        if self.sparse:
            return list(meshgrid(*lines, sparse=True, indexing="ij"))
        kind = mstype.float32 if any(v.dtype == mstype.float32 for v in lines) else lines[0].dtype
        return NUMPY["stack"](meshgrid(*[cast(v, kind) for v in lines], indexing="ij"))

    @staticmethod
    def _axis(key: slice) -> Tensor:
        start, step = key.start or 0, key.step or 1
        if isinstance(step, complex):
            return linspace(start, key.stop, int(abs(step)))
        return arange(start, key.stop, step)


NUMPY.update(mgrid=Grid(sparse=False), ogrid=Grid(sparse=True))


# --- windows --------------------------------------------------------------------------------------------------------


def _window(name: str, text: str) -> None:
    def window(M: int) -> Tensor:
        if isinstance(M, bool) or not isinstance(M, int):
            raise TypeError(f"numpy.{name}: M must be an int, got {type(M).__name__}.")
        return Tensor(getattr(np, name)(M).astype(np.float32))

    window.__name__, window.__doc__ = name, _WINDOW.format(name=name, text=text)
    NUMPY[name] = window


_WINDOW = """{text}

    Args:
        M: The number of points.

    Returns:
        A float32 vector.

    Raises:
        TypeError: If `M` is not an int.

    Examples:
        >>> float(ms.numpy.{name}(3).max())
        1.0
    """

_window("bartlett", "Return the triangular window of M points, zero at both ends.")
_window("blackman", "Return the Blackman window of M points: 0.42 - 0.5 cos(2πn / (M - 1)) + 0.08 cos(4πn / (M - 1)).")
_window("hamming", "Return the Hamming window of M points: 0.54 - 0.46 cos(2πn / (M - 1)).")
_window("hanning", "Return the Hann window of M points: 0.5 - 0.5 cos(2πn / (M - 1)).")
