"""Comparison, logical and bitwise operators, and tests of single elements."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops.checks import integral, known
from sporax._src.ops.methods import method
from sporax._src.ops.table import op

_REF = "sporax._src.testing.math_references."

_PAIR = ("T(2, 3), T(2, 3)", "I(2, 3), I(3)", "I(4), 1", "T(3), 0.5", "I(3), T(3)", "T(0, 3), T(3)", "B(4), B(4)")
_SHAPES = (("T(2, 3), T(4)", "ops."),)


@op(
    ref="numpy.equal",
    cases=(*_PAIR, "C(2), C(2)"),
    errors=_SHAPES,
    aliases="eq",
    method=("equal", "eq"),
    primitive="Equal()",
    grad=0,
)
def equal(input: Array, other: Array) -> Array:
    """Return whether elements are equal.

    Examples:
        >>> ops.equal(Tensor([1, 2]), 2).asnumpy()
        array([False,  True])
    """
    return jnp.equal(*unify(input, other))


@op(
    ref="numpy.not_equal",
    cases=(*_PAIR, "C(2), C(2)"),
    errors=_SHAPES,
    aliases="ne",
    method=("not_equal", "ne"),
    primitive="NotEqual()",
    grad=0,
)
def not_equal(input: Array, other: Array) -> Array:
    """Return whether elements differ."""
    return jnp.not_equal(*unify(input, other))


@op(
    ref="numpy.less",
    cases=_PAIR,
    errors=_SHAPES,
    aliases=("lt", "tensor_lt"),
    method=("less", "lt", "__lt__"),
    primitive="Less()",
    grad=0,
)
def less(input: Array, other: Array) -> Array:
    """Return whether input < other."""
    return jnp.less(*unify(input, other))


@op(
    ref="numpy.less_equal",
    cases=_PAIR,
    errors=_SHAPES,
    aliases=("le", "tensor_le"),
    method=("less_equal", "le", "__le__"),
    primitive="LessEqual()",
    grad=0,
)
def less_equal(input: Array, other: Array) -> Array:
    """Return whether input ≤ other."""
    return jnp.less_equal(*unify(input, other))


@op(
    ref="numpy.greater",
    cases=_PAIR,
    errors=_SHAPES,
    aliases=("gt", "tensor_gt"),
    method=("greater", "gt", "__gt__"),
    primitive="Greater()",
    grad=0,
)
def greater(input: Array, other: Array) -> Array:
    """Return whether input > other."""
    return jnp.greater(*unify(input, other))


@op(
    ref="numpy.greater_equal",
    cases=_PAIR,
    errors=_SHAPES,
    aliases=("ge", "tensor_ge"),
    method=("greater_equal", "ge", "__ge__"),
    primitive="GreaterEqual()",
    grad=0,
)
def greater_equal(input: Array, other: Array) -> Array:
    """Return whether input ≥ other."""
    return jnp.greater_equal(*unify(input, other))


_COMPARABLE = (Tensor, bool, int, float, complex, np.generic, np.ndarray)


@method("__eq__")
def _eq(self: Tensor, other: Any) -> Any:
    """Compare elements; what is no number or array (None, a string, a list) is simply not equal."""
    return equal(self, other) if isinstance(other, _COMPARABLE) else False


@method("__ne__")
def _ne(self: Tensor, other: Any) -> Any:
    return not_equal(self, other) if isinstance(other, _COMPARABLE) else True


# --- closeness ------------------------------------------------------------------------------------------------------


@op(
    ref="numpy.isclose",
    cases=(
        "T(2, 3), T(2, 3)",
        "D([1.0, np.nan]), D([1.000001, np.nan])",
        "D([np.nan]), D([np.nan]), equal_nan=True",
        "I(3), I(3)",
        "D([1.0, 2.0]), D([1.05, 2.3]), 0.1, 0.0",
    ),
    errors=_SHAPES,
    method="isclose",
    primitive="IsClose(rtol=1e-05, atol=1e-08, equal_nan=False)",
    grad=0,
)
def isclose(input: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    """Return whether |input - other| ≤ atol + rtol · |other|.

    Args:
        input, other: Tensors.
        rtol, atol: Relative and absolute tolerance.
        equal_nan: Whether two NaN are close.
    """
    return jnp.isclose(*unify(input, other), rtol=rtol, atol=atol, equal_nan=equal_nan)


@method("allclose")
def _allclose(self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    return bool(isclose(self, other, rtol, atol, equal_nan).asnumpy().all())


@op(
    ref=_REF + "approximate_equal",
    cases=("T(2, 3), T(2, 3)", "T(3), T(3), 1.0"),
    errors=(("T(2), T(3)", "ops."),),
    method="approximate_equal",
    primitive="ApproximateEqual(tolerance=1e-05)",
    grad=0,
)
def approximate_equal(x: Array, y: Array, tolerance: float = 1e-5) -> Array:
    """Return whether |x - y| < tolerance."""
    return jnp.abs(jnp.subtract(*unify(x, y))) < tolerance


@op(
    ref=_REF + "equal_count",
    cases=("I(2, 3), I(2, 3)", "D([1.0, 2.0]), D([1.0, 3.0])"),
    primitive="EqualCount()",
    grad=0,
)
def equal_count(x: Array, y: Array) -> Array:
    """Return how many elements are equal, as a Tensor of one element of their dtype."""
    x, y = unify(x, y)
    return jnp.sum(x == y, dtype=x.dtype).reshape(1)


# --- logic ----------------------------------------------------------------------------------------------------------


def _truth(*xs: Array) -> tuple[Array, ...]:
    return tuple([x.astype(bool) for x in unify(*xs)])


@op(
    ref="numpy.logical_and",
    cases=("B(2, 3), B(3)", "T(3), B(3)", "B(3), True", "B(0, 3), B(3)"),
    errors=_SHAPES,
    method="logical_and",
    primitive="LogicalAnd()",
    grad=0,
)
def logical_and(input: Array, other: Array) -> Array:
    """Return whether both are true (numbers are true unless 0)."""
    return jnp.logical_and(*_truth(input, other))


@op(
    ref="numpy.logical_or",
    cases=("B(2, 3), B(3)", "T(3), B(3)", "B(3), True", "B(0, 3), B(3)"),
    errors=_SHAPES,
    method="logical_or",
    primitive="LogicalOr()",
    grad=0,
)
def logical_or(input: Array, other: Array) -> Array:
    """Return whether at least one is true (numbers are true unless 0)."""
    return jnp.logical_or(*_truth(input, other))


@op(
    ref="numpy.logical_xor",
    cases=("B(2, 3), B(3)", "T(3), B(3)", "B(3), True"),
    errors=_SHAPES,
    method="logical_xor",
    primitive="LogicalXor()",
    grad=0,
)
def logical_xor(input: Array, other: Array) -> Array:
    """Return whether exactly one is true (numbers are true unless 0)."""
    return jnp.logical_xor(*_truth(input, other))


@op(
    ref="numpy.logical_not",
    cases=("B(2, 3)", "T(3)", "I(4)", "B(0, 3)"),
    method=("logical_not", "__invert__"),
    primitive="LogicalNot()",
    grad=0,
)
def logical_not(input: Array) -> Array:
    """Return whether input is false (a number: 0)."""
    return jnp.logical_not(input)


# --- bits -----------------------------------------------------------------------------------------------------------

_BITS = ("I(2, 3), I(3)", "I(4), 3", "B(3), B(3)", "I(0, 3), I(3)")
_NO_FLOAT = (("T(2), T(2)", "integer"),)


@op(
    ref="numpy.bitwise_and",
    cases=_BITS,
    errors=_NO_FLOAT,
    method=("bitwise_and", "__and__", "__rand__"),
    primitive="BitwiseAnd()",
)
def bitwise_and(input: Array, other: Array) -> Array:
    """Return the bits set in both integers."""
    x, y = unify(input, other)
    return jnp.bitwise_and(integral(x), y)


@op(
    ref="numpy.bitwise_or",
    cases=_BITS,
    errors=_NO_FLOAT,
    method=("bitwise_or", "__or__", "__ror__"),
    primitive="BitwiseOr()",
)
def bitwise_or(input: Array, other: Array) -> Array:
    """Return the bits set in at least one of the integers."""
    x, y = unify(input, other)
    return jnp.bitwise_or(integral(x), y)


@op(
    ref="numpy.bitwise_xor",
    cases=_BITS,
    errors=_NO_FLOAT,
    method=("bitwise_xor", "__xor__", "__rxor__"),
    primitive="BitwiseXor()",
)
def bitwise_xor(input: Array, other: Array) -> Array:
    """Return the bits set in exactly one of the integers."""
    x, y = unify(input, other)
    return jnp.bitwise_xor(integral(x), y)


@op(
    ref="numpy.left_shift",
    cases=("I(2, 3, low=0), I(3, low=0)", "I(4), 2"),
    errors=_NO_FLOAT,
    method="bitwise_left_shift",
    primitive="LeftShift()",
)
def bitwise_left_shift(input: Array, other: Array) -> Array:
    """Return input · 2^other by shifting bits."""
    x, y = unify(input, other)
    return jnp.left_shift(integral(x, boolean=False), y)


@op(
    ref="numpy.right_shift",
    cases=("I(2, 3), I(3, low=0)", "I(4), 2"),
    errors=_NO_FLOAT,
    method="bitwise_right_shift",
    primitive="RightShift()",
)
def bitwise_right_shift(input: Array, other: Array) -> Array:
    """Return input / 2^other, rounded down, by shifting bits."""
    x, y = unify(input, other)
    return jnp.right_shift(integral(x, boolean=False), y)


@op(
    ref="numpy.invert",
    cases=("I(2, 3)", "B(3)", "I(0, 3)"),
    errors=(("T(2)", "integer"),),
    method=("invert", "bitwise_not"),
    primitive="Invert()",
)
def invert(x: Array) -> Array:
    """Return integers with every bit flipped: -x - 1."""
    return jnp.invert(integral(known(x)))
