"""Logic of truth values and of bits."""

from __future__ import annotations

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.ops.checks import integral, known
from sporax._src.ops.comparison import _SHAPES
from sporax._src.ops.table import op

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
    """Return whether both are true (numbers are true unless 0).

    Args:
        input, other: Tensors or numbers; shapes broadcast.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.logical_and(Tensor([1, 1, 0]), Tensor([True, False, False])).asnumpy()
        array([ True, False, False])
    """
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
    """Return whether at least one is true (numbers are true unless 0).

    Args:
        input, other: Tensors or numbers; shapes broadcast.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.logical_or(Tensor([1, 1, 0]), Tensor([True, False, False])).asnumpy()
        array([ True,  True, False])
    """
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
    """Return whether exactly one is true (numbers are true unless 0).

    Args:
        input, other: Tensors or numbers; shapes broadcast.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.logical_xor(Tensor([1, 1, 0]), Tensor([True, False, False])).asnumpy()
        array([False,  True, False])
    """
    return jnp.logical_xor(*_truth(input, other))


@op(
    ref="numpy.logical_not",
    cases=("B(2, 3)", "T(3)", "I(4)", "B(0, 3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method=("logical_not", "__invert__"),
    primitive="LogicalNot()",
    grad=0,
)
def logical_not(input: Array) -> Array:
    """Return whether input is false (a number: 0).

    Args:
        input: A Tensor.

    Returns:
        A bool Tensor.

    Examples:
        >>> ops.logical_not(Tensor([0, 2])).asnumpy()
        array([ True, False])
    """
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
    """Return the bits set in both integers.

    Args:
        input, other: Tensors or numbers, integers or booleans; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If they hold floats.

    Examples:
        >>> ops.bitwise_and(Tensor([6, 5]), 3).asnumpy()
        array([2, 1])
    """
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
    """Return the bits set in at least one of the integers.

    Args:
        input, other: Tensors or numbers, integers or booleans; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If they hold floats.

    Examples:
        >>> ops.bitwise_or(Tensor([6, 5]), 3).asnumpy()
        array([7, 7])
    """
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
    """Return the bits set in exactly one of the integers.

    Args:
        input, other: Tensors or numbers, integers or booleans; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If they hold floats.

    Examples:
        >>> ops.bitwise_xor(Tensor([6, 5]), 3).asnumpy()
        array([5, 6])
    """
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
    """Return input · 2^other by shifting bits.

    Args:
        input, other: Integer Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If they hold floats or booleans.

    Examples:
        >>> ops.bitwise_left_shift(Tensor([1, 3]), 2).asnumpy()
        array([ 4, 12])
    """
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
    """Return input / 2^other, rounded down, by shifting bits.

    Args:
        input, other: Integer Tensors or numbers; shapes broadcast, dtypes meet.

    Raises:
        TypeError: If they hold floats or booleans.

    Examples:
        >>> ops.bitwise_right_shift(Tensor([8, -3]), 1).asnumpy()
        array([ 4, -2])
    """
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
    """Return integers with every bit flipped: -x - 1.

    Args:
        x: A Tensor of integers (or booleans, whose inverse is the other).

    Raises:
        TypeError: If x holds floats.

    Examples:
        >>> ops.invert(Tensor([0, 5])).asnumpy()
        array([-1, -6])
    """
    return jnp.invert(integral(known(x)))
