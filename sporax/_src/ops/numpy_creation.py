"""Functions of `numpy` that make Tensors: zeros, arange, linspace, grids, windows, random numbers, ..."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes, creation, shape
from sporax._src.ops.numpy_base import NUMPY, as_dtype, asarray, np_dtype, public, row, typed
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
    """
    made = asarray(obj, dtype)
    if ndmin > made.ndim:
        if not made.size:
            raise ValueError(f"numpy.array: ndmin={ndmin} needs elements to add axes, got shape {list(made.shape)}.")
        made = shape.reshape(made, (1,) * (ndmin - made.ndim) + made.shape)
    return Tensor(made) if copy and made is obj else made


@public()
def asfarray(a: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return the values as floats: `dtype` if it is a float type, else float32."""
    wanted = mstype.float32 if dtype is None else as_dtype(dtype)
    return asarray(a, wanted if wanted.kind == "f" else mstype.float32)


@public()
def copy(a: Any) -> Tensor:
    """Return a new Tensor with the values of `a`."""
    return Tensor(asarray(a))


@public()
def zeros(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a Tensor of zeros."""
    return creation.zeros(_shape(shape), as_dtype(dtype))


@public()
def ones(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a Tensor of ones."""
    return creation.ones(_shape(shape), as_dtype(dtype))


@public()
def empty(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a Tensor of zeros: there is no uninitialised memory here."""
    return zeros(shape, dtype)


def _shape(shape: Any) -> tuple[int, ...]:
    return axes.fixed_sizes(shape.tolist() if isinstance(shape, Tensor) else shape)


@public()
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """Return a Tensor of `shape` filled with a value, or with a Tensor that broadcasts to it."""
    return _full(_shape(shape), asarray(fill_value, dtype))


@internal("numpy.full")
def _full(shape: Shape, value: Array) -> Array:
    return jnp.broadcast_to(value, shape)


@public()
def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return zeros of the shape and dtype of `a`, unless given."""
    a = asarray(a)
    return zeros(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)


@public()
def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return ones of the shape and dtype of `a`, unless given."""
    a = asarray(a)
    return ones(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)


@public()
def empty_like(prototype: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return zeros of the shape and dtype of `prototype`, unless given."""
    return zeros_like(prototype, dtype, shape)


@public()
def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return a Tensor of the shape and dtype of `a`, unless given, filled with a value."""
    a = asarray(a)
    return full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


# --- sequences ------------------------------------------------------------------------------------------------------


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


@public()
def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    """Return the numbers from `start` (0 if only one is given) up to, not including, `stop` in steps of `step`."""
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
    """Return base^x for `num` numbers x at equal distances from `start` to `stop`."""
    start, stop = _ends(start, stop)
    powers = jnp.linspace(start, stop, _count(num), endpoint=endpoint, dtype=start.dtype, axis=axis)
    return jnp.power(jnp.asarray(base, powers.dtype), powers).astype(np_dtype(dtype, np.float32))


@row()
def geomspace(
    start: Array, stop: Array, num: int = 50, endpoint: bool = True, dtype: Static = None, axis: int = 0
) -> Array:
    """Return `num` numbers from `start` to `stop`, each the same multiple of the one before."""
    start, stop = _ends(start, stop)
    return jnp.geomspace(start, stop, _count(num), endpoint, start.dtype, axis).astype(np_dtype(dtype, np.float32))


# --- matrices -------------------------------------------------------------------------------------------------------


@row()
def eye(N: Static, M: Static = None, k: int = 0, dtype: Static = mstype.float32) -> Array:
    """Return the (N, M) matrix with ones on its diagonal number `k`."""
    rows, columns = axes.fixed_sizes((N, N if M is None else M), "N and M")
    return jnp.eye(rows, columns, k, np_dtype(dtype, np.float32))


@public()
def identity(n: int, dtype: Any = mstype.float32) -> Tensor:
    """Return the (n, n) identity matrix."""
    return eye(n, dtype=dtype)


@row()
def tri(N: int, M: Static = None, k: int = 0, dtype: Static = mstype.float32) -> Array:
    """Return the (N, M) matrix with ones at and below its diagonal number `k`."""
    return jnp.tri(N, M, k, np_dtype(dtype, np.float32))


@row()
def tril(m: Array, k: int = 0) -> Array:
    """Return the matrices with zeros above their diagonal number `k`."""
    return creation.tril.raw(m, k)


@row()
def triu(m: Array, k: int = 0) -> Array:
    """Return the matrices with zeros below their diagonal number `k`."""
    return creation.triu.raw(m, k)


def _indices(found: tuple[np.ndarray, ...]) -> tuple[Tensor, ...]:
    return tuple(Tensor(v.astype(np.int32)) for v in found)


@public()
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, ...]:
    """Return the row and the column indices of the lower triangle of an (n, m) matrix."""
    return _indices(np.tril_indices(n, k, m))


@public()
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, ...]:
    """Return the row and the column indices of the upper triangle of an (n, m) matrix."""
    return _indices(np.triu_indices(n, k, m))


def _size_of(arr: Any, name: str) -> tuple[int, int]:
    found = asarray(arr).shape
    if len(found) != 2:
        raise ValueError(f"numpy.{name}: arr must be a matrix, got {len(found)} axes.")
    return found  # type: ignore[return-value]


@public()
def tril_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices of the lower triangle of the matrix `arr`."""
    n, m = _size_of(arr, "tril_indices_from")
    return tril_indices(n, k, m)


@public()
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices of the upper triangle of the matrix `arr`."""
    n, m = _size_of(arr, "triu_indices_from")
    return triu_indices(n, k, m)


@public()
def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Return the indices of the main diagonal of an array of `ndim` axes of size `n`."""
    if not isinstance(n, int) or not isinstance(ndim, int):
        raise TypeError(f"numpy.diag_indices: n and ndim must be ints, got {n!r} and {ndim!r}.")
    return (arange(n),) * ndim


@row()
def diag(v: Array, k: int = 0) -> Array:
    """Return the matrix with the vector `v` on diagonal number `k`, or that diagonal of the matrix `v`."""
    if v.ndim not in (1, 2):
        raise ValueError(f"v must have 1 or 2 axes, got {v.ndim}.")
    return jnp.diag(v, k)


@row()
def diagflat(v: Array, k: int = 0) -> Array:
    """Return the matrix with the flattened `v` on diagonal number `k`."""
    return jnp.diagflat(v, k)


@row()
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the diagonals of the planes that two axes span; their elements lie along the last axis."""
    _two_axes(a, axis1, axis2)
    return jnp.diagonal(a, offset, axis1, axis2)


def _two_axes(a: Array, axis1: int, axis2: int) -> None:
    if a.ndim < 2:
        raise ValueError(f"a must have at least 2 axes, got {a.ndim}.")
    axes.several((axis1, axis2), a.ndim)


@row()
def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Static = None) -> Array:
    """Return the sums of the diagonals of the planes that two axes span."""
    _two_axes(a, axis1, axis2)
    kind = np_dtype(dtype, np.int64 if a.dtype.kind in "biu" else a.dtype)
    return jnp.sum(jnp.diagonal(a, offset, axis1, axis2), -1, dtype=kind)


@row()
def vander(x: Array, N: Static = None, increasing: bool = False) -> Array:
    """Return the matrix whose columns are powers of the vector `x`, descending unless `increasing`."""
    if x.ndim != 1:
        raise ValueError(f"x must have 1 axis, got {x.ndim}.")
    if N is not None and N <= 0:
        raise ValueError(f"N must be positive, got {N}.")
    return jnp.vander(x, N, increasing)


# --- random numbers -------------------------------------------------------------------------------------------------


@internal("numpy.rand")
def _rand(key: Key, shape: Shape) -> Array:
    return jax.random.uniform(key, shape, np.float32)


@internal("numpy.randn")
def _randn(key: Key, shape: Shape) -> Array:
    return jax.random.normal(key, shape, np.float32)


@internal("numpy.randint")
def _randint(key: Key, low: Array, high: Array, shape: Shape) -> Array:
    return jax.random.randint(key, shape, low, high, np.int64)


def _of_kind(kind: str, dtype: Any) -> mstype.Type:
    found = as_dtype(dtype)
    if found.kind != kind:
        raise ValueError(f"dtype must be {'a float' if kind == 'f' else 'a signed integer'} type, got {found}.")
    return found


def _drawn(shape: tuple[Any, ...]) -> tuple[int, ...]:
    return axes.fixed_sizes(shape[0] if len(shape) == 1 else shape) if shape else (1,)


@public()
def rand(*shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return draws from the uniform distribution over [0, 1); of shape (1,) without arguments."""
    return typed(_rand(_drawn(shape)), _of_kind("f", dtype))


@public()
def randn(*shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return draws from the standard normal distribution; of shape (1,) without arguments."""
    return typed(_randn(_drawn(shape)), _of_kind("f", dtype))


@public()
def randint(minval: int, maxval: int | None = None, shape: Any = None, dtype: Any = mstype.int32) -> Tensor:
    """Return integers drawn evenly from [minval, maxval), or from [0, minval) without `maxval`.

    Raises:
        ValueError: If there is no integer to draw.
    """
    low, high = (0, minval) if maxval is None else (minval, maxval)
    if not isinstance(low, int) or not isinstance(high, int):
        raise TypeError(f"numpy.randint: minval and maxval must be ints, got {minval!r} and {maxval!r}.")
    if low >= high:
        raise ValueError(f"numpy.randint: minval must be smaller than maxval, got {low} and {high}.")
    return typed(_randint(low, high, (1,) if shape is None else _shape(shape)), _of_kind("i", dtype))


# --- names of types and numbers -------------------------------------------------------------------------------------

_TYPES = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
NUMPY.update({name: getattr(mstype, name) for name in _TYPES.split()})
NUMPY.update(int_=mstype.int32, uint=mstype.uint32, float_=mstype.float32)
NUMPY.update(inf=math.inf, nan=math.nan, pi=math.pi, PINF=math.inf, NINF=-math.inf)
