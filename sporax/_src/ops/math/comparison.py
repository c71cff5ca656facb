"""Comparisons, logic of truth values and of bits, tests of single elements."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.bindings.tensor_methods import method
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import floating, integral, known
from sporax._src.engine.table import composite, op

_REF = "references.math."

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

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

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
    """Return whether elements differ.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.not_equal(Tensor([1, 2]), 2).asnumpy()
        array([ True, False])
    """
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
    """Return whether input < other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.less(Tensor([1, 2, 3]), 2).asnumpy()
        array([ True, False, False])
    """
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
    """Return whether input ≤ other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.less_equal(Tensor([1, 2, 3]), 2).asnumpy()
        array([ True,  True, False])
    """
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
    """Return whether input > other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.greater(Tensor([1, 2, 3]), 2).asnumpy()
        array([False, False,  True])
    """
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
    """Return whether input ≥ other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.greater_equal(Tensor([1, 2, 3]), 2).asnumpy()
        array([False,  True,  True])
    """
    return jnp.greater_equal(*unify(input, other))


_COMPARABLE = (Tensor, bool, int, float, complex, np.generic, np.ndarray)


@method("__eq__")
def _eq(self: Tensor, other: object) -> Any:
    """Compare elements; what is no number or array (None, a string, a list) is simply not equal.

    Args:
        other: What to compare with.

    Returns:
        A bool Tensor, or False.

    Examples:
        >>> (Tensor([1, 2]) == 2).asnumpy(), Tensor([1, 2]) == None
        (array([False,  True]), False)
    """
    return equal(self, other) if isinstance(other, _COMPARABLE) else False


@method("__ne__")
def _ne(self: Tensor, other: object) -> Any:
    """Compare elements; what is no number or array (None, a string, a list) is simply not equal.

    Args:
        other: What to compare with.

    Returns:
        A bool Tensor, or True.

    Examples:
        >>> (Tensor([1, 2]) != 2).asnumpy(), Tensor([1, 2]) != None
        (array([ True, False]), True)
    """
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

    Returns:
        A bool Tensor.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.isclose(Tensor([1.0, 2.0]), Tensor([1.0, 2.5]), atol=0.25).asnumpy()
        array([ True, False])
    """
    return jnp.isclose(*unify(input, other), rtol=rtol, atol=atol, equal_nan=equal_nan)


@method("allclose")
def _allclose(self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Return whether all elements are as close as `ops.isclose` says, as a bool.

    Args:
        other: A Tensor.
        rtol, atol: Relative and absolute tolerance.
        equal_nan: Whether two NaN are close.

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> Tensor([1.0, 2.0]).allclose(Tensor([1.0, 2.5]))
        False
    """
    return bool(isclose(self, other, rtol, atol, equal_nan).asnumpy().all())


@op(
    ref=_REF + "approximate_equal",
    cases=("T(2, 3), T(2, 3)", "T(3), T(3), 1.0"),
    errors=(
        ("T(2), T(3)", "'x1' must have the same shape as 'x2', got [2] and [3]"),
        ("T(*(1,) * 8), T(*(1,) * 8)", "the x's rank should be less than 8, got 8"),
        ("T(2), T(2), 1", "the type of 'tolerance' should be 'float', got 1"),
        ("I(2), I(2)", "x must have a float dtype, got Int32"),
    ),
    method="approximate_equal",
    primitive="ApproximateEqual(tolerance=1e-05)",
    grad=0,
)
def approximate_equal(x: Array, y: Array, tolerance: float = 1e-5) -> Array:
    """Return whether |x - y| < tolerance.

    Args:
        x, y: Tensors of one shape with at most 7 axes; dtypes are promoted to a float dtype.
        tolerance: The distance that is too far, a float.

    Returns:
        A bool Tensor.

    Raises:
        TypeError: If `tolerance` is not a float, or both operands hold integers or booleans.
        RuntimeError: If the shapes differ, or have more than 7 axes.

    Examples:
        >>> ops.approximate_equal(Tensor([1.0, 2.0]), Tensor([1.0, 2.5])).asnumpy()
        array([ True, False])
    """
    if not isinstance(tolerance, float):
        raise TypeError(f"the type of 'tolerance' should be 'float', got {describe(tolerance)}.")
    a, b = unify(x, y)
    if a.shape != b.shape:
        raise RuntimeError(
            f"ops.approximate_equal: 'x1' must have the same shape as 'x2', got {list(a.shape)} and {list(b.shape)}."
        )
    if a.ndim > 7:
        raise RuntimeError(f"ops.approximate_equal: the x's rank should be less than 8, got {a.ndim}.")
    return jnp.abs(floating(a, "x") - b) < tolerance


@op(
    ref=_REF + "equal_count",
    cases=("I(2, 3), I(2, 3)", "D([1.0, 2.0]), D([1.0, 3.0])"),
    errors=(("I(2, 3), T(7, 11)", "eq got incompatible shapes for broadcasting"),),
    primitive="EqualCount()",
    grad=0,
)
def equal_count(x: Array, y: Array) -> Array:
    """Return how many elements are equal, as a Tensor of one element of their dtype.

    Args:
        x, y: Tensors or numbers; shapes broadcast, dtypes are promoted.

    Returns:
        A Tensor of shape (1,).

    Raises:
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.equal_count(Tensor([1, 2, 3]), Tensor([1, 0, 3])).asnumpy()
        array([2])
    """
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
    primitive="LogicalAnd()(x, y)",
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
    primitive="LogicalOr()(x, y)",
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
        input, other: Tensors or numbers, integers or booleans; shapes broadcast, dtypes are promoted.

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
        input, other: Tensors or numbers, integers or booleans; shapes broadcast, dtypes are promoted.

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
        input, other: Tensors or numbers, integers or booleans; shapes broadcast, dtypes are promoted.

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
        input, other: Integer Tensors or numbers; shapes broadcast, dtypes are promoted.

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
    primitive="RightShift()(input_x, input_y)",
)
def bitwise_right_shift(input: Array, other: Array) -> Array:
    """Return input / 2^other, rounded down, by shifting bits.

    Args:
        input, other: Integer Tensors or numbers; shapes broadcast, dtypes are promoted.

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


# --- tests of elements and Tensors --------------------------------------------------------------------------------------

_ODD = ("T(2, 3)", "D([1.0, np.nan, np.inf, -np.inf])", "I(3)", "B(2)", "T(0, 3)")


@op(
    ref="numpy.isnan",
    cases=(*_ODD, "C(2)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="isnan",
    primitive="IsNan()",
    grad=0,
)
def isnan(input: Array) -> Array:
    """Return whether elements are NaN, as booleans.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.isnan(Tensor([1.0, np.nan])).asnumpy()
        array([False,  True])
    """
    return jnp.isnan(known(input))


@op(
    ref="numpy.isinf",
    cases=_ODD,
    errors=(("None", "operands must be Tensors or numbers"),),
    method="isinf",
    primitive="IsInf()",
    grad=0,
)
def isinf(input: Array) -> Array:
    """Return whether elements are +∞ or -∞, as booleans.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.isinf(Tensor([1.0, -np.inf])).asnumpy()
        array([False,  True])
    """
    return jnp.isinf(known(input))


@op(
    ref="numpy.isfinite",
    cases=_ODD,
    errors=(("None", "operands must be Tensors or numbers"),),
    method="isfinite",
    primitive="IsFinite()",
    grad=0,
)
def isfinite(input: Array) -> Array:
    """Return whether elements are neither NaN nor infinite, as booleans.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.isfinite(Tensor([1.0, np.inf])).asnumpy()
        array([ True, False])
    """
    return jnp.isfinite(known(input))


@op(
    ref="numpy.isneginf",
    cases=_ODD[:3],
    errors=(("C(2, 3)", "isposinf/isneginf are not well defined for"),),
    method="isneginf",
    grad=0,
)
def isneginf(input: Array) -> Array:
    """Return whether elements are -∞, as booleans.

    Args:
        input: A Tensor of real numbers.

    Raises:
        ValueError: If `input` is complex.

    Examples:
        >>> ops.isneginf(Tensor([np.inf, -np.inf])).asnumpy()
        array([False,  True])
    """
    return jnp.isneginf(known(input))


@op(
    ref="numpy.isposinf",
    cases=_ODD[:3],
    errors=(("C(2, 3)", "isposinf/isneginf are not well defined for"),),
    method="isposinf",
    grad=0,
)
def isposinf(input: Array) -> Array:
    """Return whether elements are +∞, as booleans.

    Args:
        input: A Tensor of real numbers.

    Raises:
        ValueError: If `input` is complex.

    Examples:
        >>> ops.isposinf(Tensor([np.inf, -np.inf])).asnumpy()
        array([ True, False])
    """
    return jnp.isposinf(known(input))


@op(
    ref="numpy.isreal",
    cases=("T(2, 3)", "D([1 + 2j, 3 + 0j], np.complex64)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="isreal",
    grad=0,
)
def isreal(input: Array) -> Array:
    """Return whether elements have no imaginary part, as booleans.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.isreal(Tensor([1 + 2j, 3 + 0j])).asnumpy()
        array([False,  True])
    """
    return jnp.isreal(known(input))


@composite(cases=("T(2)",))
def is_tensor(obj: object) -> bool:
    """Return whether `obj` is a Tensor.

    Args:
        obj: Anything; a Parameter is a Tensor.

    Examples:
        >>> ops.is_tensor(Tensor([1.0])), ops.is_tensor(1.0)
        (True, False)
    """
    return isinstance(obj, Tensor)


def _kind_of(input: object, name: str) -> str:
    if not isinstance(input, Tensor):
        raise TypeError(f"ops.{name}: input must be a Tensor, got {input!r}.")
    return input.dtype.kind


@composite(cases=("T(2)",), errors=(("1.0", "input must be a Tensor, got 1.0"),), method="is_floating_point")
def is_floating_point(input: Tensor) -> bool:
    """Return whether a Tensor has a real float dtype.

    Args:
        input: A Tensor.

    Raises:
        TypeError: If `input` is not a Tensor.

    Examples:
        >>> ops.is_floating_point(Tensor([1.0])), ops.is_floating_point(Tensor([1]))
        (True, False)
    """
    return _kind_of(input, "is_floating_point") == "f"


@composite(cases=("T(2)",), errors=(("1j", "input must be a Tensor, got 1j"),), method="is_complex")
def is_complex(input: Tensor) -> bool:
    """Return whether a Tensor has a complex dtype.

    Args:
        input: A Tensor.

    Raises:
        TypeError: If `input` is not a Tensor.

    Examples:
        >>> ops.is_complex(Tensor([1j])), ops.is_complex(Tensor([1.0]))
        (True, False)
    """
    return _kind_of(input, "is_complex") == "c"


@method("is_signed")
def _is_signed(self: Tensor) -> bool:
    """Return whether the dtype has negative numbers.

    Examples:
        >>> Tensor([1.0]).is_signed()
        True
    """
    return self.dtype.is_signed


@composite(cases=("D([2.0])",), errors=(("T(2)", "one element"),), jit=False)
def is_nonzero(input: Tensor) -> bool:
    """Return whether the only element is not 0.

    Args:
        input: A Tensor of one element.

    Raises:
        ValueError: If there is more than one element.

    Examples:
        >>> ops.is_nonzero(Tensor([2.0]))
        True
    """
    if input.size != 1:
        raise ValueError(f"ops.is_nonzero: input must have one element, got shape {list(input.shape)}.")
    return bool(input)


@op(
    ref=_REF + "float_status",
    cases=("T(2, 3)", "D([np.nan, 1.0])"),
    errors=(("None", "operands must be Tensors or numbers"),),
    primitive="FloatStatus()",
    grad=0,
)
def float_status(x: Array) -> Array:
    """Return a float32 Tensor of one element: 1 if x holds NaN or infinity, else 0.

    Args:
        x: A Tensor.

    Examples:
        >>> ops.FloatStatus()(Tensor([1.0, np.nan])).asnumpy()
        array([1.], dtype=float32)
    """
    return jnp.any(~jnp.isfinite(x)).astype(jnp.float32).reshape(1)


@op(
    ref="references.encoding.compare_and_bitpack",
    cases=("T(2, 16), 0.1", "I(8), 1"),
    errors=(("T(2, 7), 0.1", "multiple of 8"),),
    grad=0,
    name="_compare_and_bitpack",
    primitive="CompareAndBitpack()",
)
def compare_and_bitpack(x: Array, threshold: Array) -> Array:
    """Return for eight neighbours a byte whose bits, the highest first, say which of them exceed the threshold.

    Args:
        x: A Tensor whose last axis is a multiple of 8.
        threshold: A number or 0-d Tensor.

    Returns:
        A uint8 Tensor with an eighth of the elements along the last axis.

    Raises:
        ValueError: If the last axis is not a multiple of 8.

    Examples:
        >>> ops.CompareAndBitpack()(Tensor([1, 0, 0, 0, 0, 0, 1, 1]), Tensor(0)).asnumpy()
        array([131], dtype=uint8)
    """
    if not x.ndim or x.shape[-1] % 8:
        raise ValueError(f"the last axis of x must be a multiple of 8, got shape {list(x.shape)}.")
    return jnp.packbits(x > threshold, -1)
