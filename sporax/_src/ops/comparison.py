"""Comparisons of elements, and whether they are close."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops.checks import floating
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

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

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
def _eq(self: Tensor, other: Any) -> Any:
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
def _ne(self: Tensor, other: Any) -> Any:
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
        x, y: Tensors of one shape with at most 7 axes; dtypes meet, in a float dtype.
        tolerance: The distance that is too far, a float.

    Returns:
        A bool Tensor.

    Raises:
        TypeError: If `tolerance` is no float, or both operands hold integers or booleans.
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
        x, y: Tensors or numbers; shapes broadcast, dtypes meet.

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
