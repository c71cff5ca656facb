"""The larger and the smaller of two operands, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.ops.table import op

_REF = "sporax._src.testing.math_references."

_PAIR = ("T(2, 3), T(2, 3)", "T(2, 3), T(3)", "T(3), 2", "I(3), 2", "T(0, 3), T(3)")
_SHAPES = (("T(2, 3), T(4)", "ops."),)


def choice(first: Callable[..., Array], value: Callable[..., Array] | None = None) -> Callable[[Array, Array], Array]:
    """Return the choice of x where `first(x, y)`, else y, whose gradient is shared as MindSpore shares it.

    Where both are equal each gets half; where neither comes first, because one is NaN, each gets all of it. With `value`
    that function chooses.
    """
    value = value or (lambda x, y: jnp.where(first(x, y) | (x == y), x, y))

    @jax.custom_jvp
    def choose(x: Array, y: Array) -> Array:
        return value(x, y)

    @choose.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        x, y = primals
        half = jnp.where(x == y, 0.5, 1.0).astype(x.dtype)
        to_x, to_y = (jnp.where(first(b, a), 0, half).astype(x.dtype) for a, b in ((x, y), (y, x)))
        return choose(x, y), to_x * tangents[0] + to_y * tangents[1]

    def chosen(input: Array, other: Array) -> Array:
        x, y = jnp.broadcast_arrays(*unify(input, other))
        if jnp.issubdtype(x.dtype, jnp.floating):
            return choose(x, y)
        return value(x, y)

    return chosen


_larger, _smaller = choice(jnp.greater), choice(jnp.less)


@op(
    ref=_REF + "maximum",
    cases=_PAIR,
    errors=_SHAPES,
    method="maximum",
    primitive="Maximum()",
)
def maximum(input: Array, other: Array) -> Array:
    """Return the larger of two elements; where one is NaN, `other` (`fmax` passes NaN over).

    Where they are equal, each gets half of the gradient.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`; the result has the dtype in which both meet.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.maximum(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])).asnumpy()
        array([3., 5.], dtype=float32)
    """
    return _larger(input, other)


@op(
    ref="numpy.fmax",
    cases=("T(2, 3), T(3)", "I(3), 2", "D([np.nan, 1.0]), D([0.5, np.nan])"),
    errors=_SHAPES,
    method="fmax",
    primitive="Fmax()",
)
def fmax(input: Array, other: Array) -> Array:
    """Return the larger of two elements; where one is NaN, the other element.

    Where they are equal the gradient goes to `input`.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`; the result has the dtype in which both meet.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.fmax(Tensor([1.0, np.nan]), Tensor([3.0, 2.0])).asnumpy()
        array([3., 2.], dtype=float32)
    """
    x, y = unify(input, other)
    return jnp.where((x >= y) | (y != y), x, y)


@op(
    ref=_REF + "minimum",
    cases=_PAIR,
    errors=_SHAPES,
    method="minimum",
    primitive="Minimum()",
)
def minimum(input: Array, other: Array) -> Array:
    """Return the smaller of two elements; where one is NaN, `other` (`fmin` passes NaN over).

    Where they are equal, each gets half of the gradient.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`; the result has the dtype in which both meet.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.minimum(Tensor([1.0, 5.0]), Tensor([3.0, 2.0])).asnumpy()
        array([1., 2.], dtype=float32)
    """
    return _smaller(input, other)


@op(
    ref="numpy.fmin",
    cases=("T(2, 3), T(3)", "I(3), 2", "D([np.nan, 1.0]), D([0.5, np.nan])"),
    errors=_SHAPES,
    method="fmin",
    primitive="Fmin()",
)
def fmin(input: Array, other: Array) -> Array:
    """Return the smaller of two elements; where one is NaN, the other element.

    Where they are equal the gradient goes to `input`.

    Args:
        input: A Tensor or number.
        other: A Tensor or number that broadcasts with `input`; the result has the dtype in which both meet.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.fmin(Tensor([1.0, np.nan]), Tensor([3.0, 2.0])).asnumpy()
        array([1., 2.], dtype=float32)
    """
    x, y = unify(input, other)
    return jnp.where((x <= y) | (y != y), x, y)
