"""Quotients and remainders."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops.arithmetic import _DIV, _REF, _SHAPES, _numbers
from sporax._src.ops.callings import forms
from sporax._src.ops.checks import floats
from sporax._src.ops.methods import method
from sporax._src.ops.table import composite, op


@op(
    ref="numpy.true_divide",
    cases=_DIV,
    errors=_SHAPES,
    method=("__truediv__", "true_divide"),
    primitive="Div()",
)
def true_divide(dividend: Array, divisor: Array) -> Array:
    """Return dividend / divisor; integers divide as float32.

    Args:
        dividend, divisor: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.true_divide(Tensor([3, 1]), 2).asnumpy()
        array([1.5, 0.5], dtype=float32)
    """
    return jnp.true_divide(*floats(dividend, divisor))


@op(
    ref="numpy.floor_divide",
    cases=_DIV,
    errors=(*_SHAPES, ("B(2), B(2)", "numbers")),
    aliases=("floor_divide", "floordiv", "tensor_floordiv"),
    method=("floor_divide", "__floordiv__"),
    primitive="FloorDiv()",
    grad=0,
)
def floor_div(x: Array, y: Array) -> Array:
    """Return the largest integer not above x / y, in the dtype in which they meet.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.floor_div(Tensor([-3, 3]), 2).asnumpy()
        array([-2,  1])
    """
    return jnp.floor_divide(*_numbers(x, y))


@op(ref=_REF + "truncate_div", cases=_DIV, errors=_SHAPES, primitive="TruncateDiv()", grad=0)
def truncate_div(x: Array, y: Array) -> Array:
    """Return x / y rounded towards zero, in the dtype in which they meet.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.truncate_div(Tensor([-3, 3]), 2).asnumpy()
        array([-1,  1])
    """
    x, y = _numbers(x, y)
    return jnp.trunc(x / y) if x.dtype.kind not in "iu" else lax.div(*jnp.broadcast_arrays(x, y))


@op(ref=_REF + "truncate_integers", cases=_DIV, errors=_SHAPES, primitive="RealDiv()")
def tensor_div(x: Array, y: Array) -> Array:
    """Return x / y; integers are rounded towards zero and keep their dtype.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.tensor_div(Tensor([-3, 3]), 2).asnumpy()
        array([-1,  1])
    """
    x, y = _numbers(x, y)
    return x / y if x.dtype.kind not in "iu" else lax.div(*jnp.broadcast_arrays(x, y))


@composite(
    ref="torch.div",
    cases=("T(2, 3), P(2, 3)", "T(2, 3), P(3), rounding_mode='floor'", "T(2, 3), P(3), rounding_mode='trunc'"),
    errors=(("T(2), T(2), rounding_mode='up'", "rounding_mode"),),
    aliases="divide",
    method=("div", "divide"),
)
def div(input: Tensor, other: Tensor, *, rounding_mode: str | None = None) -> Tensor:
    """Return input / other, rounded as asked.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.
        rounding_mode: None (integers divide as float32), `"floor"` or `"trunc"` (towards zero), which keep the dtype.

    Raises:
        ValueError: If `rounding_mode` is none of these.

    Examples:
        >>> ops.div(Tensor([-3.0, 3.0]), 2, rounding_mode="floor").asnumpy()
        array([-2.,  1.], dtype=float32)
    """
    if rounding_mode is None:
        return true_divide(input, other)
    if rounding_mode == "floor":
        return floor_div(input, other)
    if rounding_mode == "trunc":
        return truncate_div(input, other)
    raise ValueError(f"ops.div: rounding_mode must be None, 'floor' or 'trunc', got {rounding_mode!r}.")


forms("div", "divide", of=("other: Array", "other: Array, *, rounding_mode: str | None = None"))


@op(
    ref=_REF + "div_no_nan",
    cases=("T(2, 3), P(3)", "I(3), D([0, 1, 2], np.int32)"),
    errors=_SHAPES,
    primitive="DivNoNan()",
)
def div_no_nan(x1: Array, x2: Array) -> Array:
    """Return x1 / x2, and 0 where x2 is 0.

    Args:
        x1, x2: Tensors or numbers; shapes broadcast, dtypes meet, integers divide as float32.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.div_no_nan(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])).asnumpy()
        array([0. , 0.5], dtype=float32)
    """
    x1, x2 = floats(x1, x2)
    zero = x2 == 0
    return jnp.where(zero, jnp.zeros((), x1.dtype), x1 / jnp.where(zero, jnp.ones((), x2.dtype), x2))


@op(
    ref=_REF + "mul_no_nan",
    cases=("T(2, 3), T(3)", "D([np.nan, 1.0]), D([0.0, 2.0])"),
    errors=_SHAPES,
    primitive="MulNoNan()",
    grad=0,
)
def mul_no_nan(x: Array, y: Array) -> Array:
    """Return x · y, and 0 where y is 0 even if x is infinite or NaN.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.mul_no_nan(Tensor([np.inf, 2.0]), Tensor([0.0, 4.0])).asnumpy()
        array([0., 8.], dtype=float32)
    """
    x, y = unify(x, y)
    return jnp.where(y == 0, jnp.zeros((), x.dtype), x * y)


@op(
    ref="numpy.mod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "I(4), D([1, 2, -3, 4], np.int32)", "T(0, 3), P(3)"),
    errors=_SHAPES,
    aliases=("floormod", "tensor_mod"),
    method="__mod__",
    primitive="FloorMod()",
    tol=1e-4,
)
def floor_mod(x: Array, y: Array) -> Array:
    """Return x - y · floor(x / y): the remainder with the sign of y.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.floor_mod(Tensor([-3, 3]), 2).asnumpy()
        array([1, 1])
    """  # tol: float32 loses digits to the quotient
    return jnp.mod(*_numbers(x, y))


@composite(
    ref="numpy.mod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "2.5, P(3)", "I(4), D([1, 2, -3, 4], np.int32)"),
    errors=_SHAPES,
    tol=1e-4,
)
def remainder(input: Any, other: Any) -> Tensor:
    """Return input - other · floor(input / other): the remainder with the sign of other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If both hold booleans.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.remainder(Tensor([-3, 3]), 2).asnumpy()
        array([1, 1])
    """  # tol: float32 loses digits to the quotient
    return floor_mod(input, other)


@method("remainder")
def _remainder(self: Tensor, other: Any = None, *, divisor: Any = None) -> Tensor:
    return floor_mod(self, divisor if other is None else other)


forms("remainder", of=("other: Tensor", "other: float", "divisor: Array"))


@op(
    ref="numpy.fmod",
    cases=("T(2, 3), P(2, 3)", "T(3), 2.5", "I(4), D([1, 2, -3, 4], np.int32)"),
    errors=_SHAPES,
    aliases="truncate_mod",
    method="fmod",
    primitive=("Mod()", "TruncateMod()"),
    tol=1e-4,
)
def fmod(input: Array, other: Array) -> Array:
    """Return the remainder of input / other with the sign of input.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If both hold booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.fmod(Tensor([-3, 3]), 2).asnumpy()
        array([-1,  1])
    """
    return jnp.fmod(*jnp.broadcast_arrays(*_numbers(input, other)))
