"""Element-by-element functions of `numpy`: views of the rows of the op table, with `dtype` as MindSpore has it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from sporax._src.api.numpy.asarray import NUMPY, asarray, np_dtype, public, row, typed
from sporax._src.base.typing import Array, Static
from sporax._src.core.conversion import converted
from sporax._src.core.dtype import TypeLike, promote, to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import TABLE, internal
from sporax._src.ops.array.cast import cast
from sporax._src.ops.math.arithmetic import choice

# --- views of one row each ------------------------------------------------------------------------------------------

_UNARY = """
abs=abs absolute=abs fabs=abs square=square invert=invert bitwise_not=invert
isfinite=isfinite isinf=isinf isnan=isnan signbit=signbit
"""
_UNARY_FLOAT = """
exp=exp expm1=expm1 log=log log10=log10 log1p=log1p log2=log2 sqrt=sqrt sign=sign
floor=floor rint=rint deg2rad=deg2rad radians=deg2rad rad2deg=rad2deg
"""
_UNARY_TRIGONOMETRIC = """
arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh cos=cos cosh=cosh sin=sin sinh=sinh tan=tan tanh=tanh
"""
_UNARY_SINGLE = "ceil=ceil trunc=trunc"
_BINARY = """
add=add subtract=sub multiply=mul divide=true_divide true_divide=true_divide
floor_divide=floor_div remainder=_floor_mod_or_zero mod=_floor_mod_or_zero fmod=truncate_mod power=pow
bitwise_and=bitwise_and bitwise_or=bitwise_or bitwise_xor=bitwise_xor equal=equal not_equal=not_equal greater=greater
greater_equal=greater_equal less=less less_equal=less_equal matmul=matmul
"""
_BINARY_FLOAT = "hypot=hypot logaddexp=logaddexp logaddexp2=logaddexp2"
_BINARY_BOOL = "logical_and=logical_and logical_or=logical_or logical_xor=logical_xor"


def to_floats(x: Tensor) -> Tensor:
    """Return integers and booleans as float32, and the rest as it is."""
    return cast(x, "float32") if x._data.dtype.kind in "biu" else x


def to_trigonometric(x: Tensor) -> Tensor:
    """Return booleans and 8-bit integers as float16, other integers as float32, and the rest as it is."""
    small = x._data.dtype.kind in "biu" and x._data.dtype.itemsize == 1
    return cast(x, "float16") if small else to_floats(x)


def to_single(x: Tensor) -> Tensor:
    """Return the values as float32."""
    return cast(x, "float32")


def _unary(fn: Callable[..., Any], prepare: Callable[[Tensor], Tensor] | None) -> Callable[..., Tensor]:
    def view(x: Any, dtype: TypeLike | None = None) -> Tensor:
        x = asarray(x)
        return typed(fn(x if prepare is None else prepare(x)), dtype)

    return view


def _binary(fn: Callable[..., Any], prepare: Callable[[Tensor], Tensor] | None) -> Callable[..., Tensor]:
    def view(x1: Any, x2: Any, dtype: TypeLike | None = None) -> Tensor:
        x1, x2 = asarray(x1), asarray(x2)
        return typed(fn(x1, x2) if prepare is None else fn(prepare(x1), prepare(x2)), dtype)

    return view


_AS_VIEW = "As a function of `numpy` it takes array-likes, and with `dtype` converts the result to a dtype."


def _views(pairs: str, make: Callable[..., Any], prepare: Callable[[Tensor], Tensor] | None = None) -> None:
    for pair in pairs.split():
        name, source = pair.split("=")
        view = make(TABLE[source].public, prepare)
        view.__name__ = view.__qualname__ = name
        first, _, rest = (inspect.getdoc(TABLE[source].public) or "").partition("\n\n")
        view.__doc__ = f"{first}\n\n{_AS_VIEW}\n\n{rest}"
        NUMPY[name] = view


def to_integers(x: Tensor) -> Tensor:
    """Return floats cut to int32, and the rest as it is."""
    return cast(x, "int32") if x._data.dtype.kind == "f" else x


def to_bool(x: Tensor) -> Tensor:
    """Return whether each element differs from 0."""
    return cast(x, "bool")


_views(_UNARY, _unary)
_views(_UNARY_FLOAT, _unary, to_floats)
_views(_UNARY_TRIGONOMETRIC, _unary, to_trigonometric)
_views(_UNARY_SINGLE, _unary, to_single)
_views(_BINARY, _binary)
_views(_BINARY_FLOAT, _binary, to_floats)
_views("gcd=gcd lcm=lcm", _binary, to_integers)
_views("arctan2=atan2", _binary, to_trigonometric)
_views("float_power=pow", _binary, to_single)
_views(_BINARY_BOOL, _binary, to_bool)


@public()
def arccos(input: ArrayLike, dtype: TypeLike | None = None) -> Tensor:
    """Return the inverse cosine in [0, π]; integers become float32.

    Args:
        input: An array-like; 8-bit integers become float16, others float32.
        dtype: The dtype of the result.

    Examples:
        >>> ms.numpy.arccos([1.0, 0.0]).asnumpy().round(3)
        array([0.   , 1.571], dtype=float32)
    """
    return typed(TABLE["acos"].public(to_trigonometric(asarray(input))), dtype)


@public()
def negative(a: ArrayLike, dtype: TypeLike | None = None) -> Tensor:
    """Return -a.

    Args:
        a: An array-like.
        dtype: The dtype of the result.

    Examples:
        >>> ms.numpy.negative([1, -2]).asnumpy()
        array([-1,  2], dtype=int32)
    """
    return typed(TABLE["neg"].public(asarray(a)), dtype)


@public()
def positive(a: ArrayLike, dtype: TypeLike | None = None) -> Tensor:
    """Return a, as NumPy's unary plus.

    Args:
        a: An array-like.
        dtype: The dtype of the result.

    Examples:
        >>> ms.numpy.positive([1, -2]).asnumpy()
        array([ 1, -2], dtype=int32)
    """
    return typed(asarray(a), dtype)


@public()
def logical_not(a: ArrayLike, dtype: TypeLike | None = None) -> Tensor:
    """Return whether each element is 0.

    Args:
        a: An array-like.
        dtype: The dtype of the result; bool if None.

    Examples:
        >>> ms.numpy.logical_not([0, 2]).asnumpy()
        array([ True, False])
    """
    return typed(TABLE["logical_not"].public(to_bool(asarray(a))), dtype)


# --- with an arithmetic of their own --------------------------------------------------------------------------------


@row()
def cbrt(x: Array, dtype: Static = None) -> Array:
    """Return the cube root, of negative numbers too.

    Args:
        x: An array-like; integers become float32.
        dtype: The dtype of the result.

    Examples:
        >>> ms.numpy.cbrt([8.0, -27.0]).asnumpy().round(3)
        array([ 2., -3.], dtype=float32)
    """
    x = to_float(x)
    x = jnp.cbrt(x.astype(np.float32) if x.dtype.itemsize < 4 else x)
    return converted(x, np_dtype(dtype, x.dtype))


@public()
def fix(x: ArrayLike) -> Tensor:
    """Return the nearest integer towards zero, as float32.

    Args:
        x: An array-like.

    Examples:
        >>> ms.numpy.fix([1.7, -1.7]).asnumpy()
        array([ 1., -1.], dtype=float32)
    """
    return TABLE["trunc"].public(to_single(asarray(x)))


@public()
def exp2(x: ArrayLike, dtype: TypeLike | None = None) -> Tensor:
    """Return 2 to the power of x, in the dtype of x (int64 for booleans).

    Args:
        x: An array-like.
        dtype: The dtype of the result.

    Examples:
        >>> ms.numpy.exp2([1.0, 3.0]).asnumpy()
        array([2., 8.], dtype=float32)
    """
    x = asarray(x)
    x = cast(x, "int64") if x._data.dtype == bool else x
    return NUMPY["power"](asarray(2, x.dtype), x, dtype)


@row()
def reciprocal(x: Array, dtype: Static = None) -> Array:
    """Return 1 / x; of integers its whole part.

    Args:
        x: An array-like.
        dtype: The dtype of the result.

    Examples:
        >>> ms.numpy.reciprocal([2.0, 4.0]).asnumpy()
        array([0.5 , 0.25], dtype=float32)
    """
    if x.dtype == bool:
        x = x.astype(np.int64)
    zero, one = jnp.zeros((), x.dtype), jnp.ones((), x.dtype)
    out = jnp.where(abs(x) == one, x, zero) if x.dtype.kind in "iu" else one / x
    return converted(out, np_dtype(dtype, x.dtype))


@row()
def heaviside(x1: Array, x2: Array, dtype: Static = None) -> Array:
    """Return 0 where x1 < 0, x2 where x1 is 0, and 1 where x1 > 0, in the promoted dtype.

    Args:
        x1: An array-like.
        x2: An array-like that broadcasts with `x1`.
        dtype: The dtype of the result.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ms.numpy.heaviside([-1.0, 0.0, 2.0], 0.5).asnumpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    x1, x2 = unify(x1, x2)
    zero = jnp.zeros((), x1.dtype)
    out = jnp.where(x1 == zero, x2, (x1 > zero).astype(x1.dtype))
    return converted(out, np_dtype(dtype, x1.dtype))


@row()
def copysign(x1: Array, x2: Array, dtype: Static = None) -> Array:
    """Return |x1| with the sign of x2, in the dtype of x1.

    Args:
        x1: An array-like.
        x2: An array-like that broadcasts with `x1`.
        dtype: The dtype of the result.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ms.numpy.copysign([1.0, -2.0], -1.0).asnumpy()
        array([-1., -2.], dtype=float32)
    """
    out = jnp.where(jnp.signbit(to_float(x2)), -abs(x1), abs(x1))
    return converted(out, np_dtype(dtype, x1.dtype))


@row()
def around(a: Array, decimals: int = 0) -> Array:
    """Return the elements rounded to `decimals` places; halves go to the even neighbour.

    Args:
        a: An array-like.
        decimals: The number of places after the point; negative ones count before it.

    Examples:
        >>> ms.numpy.around([0.5, 1.5, 2.4]).asnumpy()
        array([0., 2., 2.], dtype=float32)
    """
    return jnp.round(a, decimals)


NUMPY["round"] = around


@public()
def divmod(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike | None = None) -> tuple[Tensor, Tensor]:
    """Return the floor of x1 / x2 and the remainder.

    Args:
        x1: An array-like.
        x2: An array-like that broadcasts with `x1`.
        dtype: The dtype of the results.

    Raises:
        TypeError: If the shapes do not broadcast.

    Examples:
        >>> [t.tolist() for t in ms.numpy.divmod([7, -7], 2)]
        [[3, -4], [1, 1]]
    """
    quotient = NUMPY["floor_divide"](x1, x2)
    return typed(quotient, dtype), NUMPY["mod"](x1, x2, dtype)


# --- comparisons and limits ---------------------------------------------------------------------------------------------


def _meeting(x1: ArrayLike, x2: ArrayLike) -> tuple[Tensor, Tensor]:
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
def maximum(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike | None = None) -> Tensor:
    """Return the larger of each pair of elements; NaN if either is.

    `ops.maximum` and `ops.fmax` have other rules for NaN.

    Args:
        x1: An array-like; a number takes the dtype of the other Tensor.
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
def minimum(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike | None = None) -> Tensor:
    """Return the smaller of each pair of elements; NaN if either is.

    `ops.minimum` and `ops.fmin` have other rules for NaN.

    Args:
        x1: An array-like; a number takes the dtype of the other Tensor.
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
def clip(x: ArrayLike, xmin: ArrayLike, xmax: ArrayLike, dtype: TypeLike | None = None) -> Tensor:
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
def promote_types(type1: TypeLike, type2: TypeLike) -> Any:
    """Return the dtype in which Tensors of the two dtypes are promoted.

    Args:
        type1: A dtype.
        type2: A dtype.

    Raises:
        TypeError: If one is not a dtype.

    Examples:
        >>> ms.numpy.promote_types(ms.int32, ms.float16)
        mindspore.float16
    """
    return result_type(asarray(0, type1), asarray(0, type2))


def _dtype_of(value: Any) -> np.dtype:
    """Return the dtype of an array or a number, or the one that a value names."""
    if isinstance(value, type) or not isinstance(value, (Tensor, int, float, bool, list, tuple)):
        return asarray(0, value)._data.dtype
    return asarray(value)._data.dtype


@public()
def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype in which the given Tensors, numbers and dtypes are promoted.

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
        dtype = _dtype_of(value)
        met = dtype if met is None else _meet(met, dtype)
    return asarray(0, met).dtype


def _meet(a: np.dtype, b: np.dtype) -> np.dtype:
    """Return MindSpore's promotion, and NumPy's for the unsigned types that MindSpore does not promote."""
    try:
        return promote(a, b)
    except TypeError:
        return np.promote_types(a, b)
