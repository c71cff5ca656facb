"""Differences and integrals along an axis."""

from __future__ import annotations

import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray
from sporax._src.core.dtype import unify
from sporax._src.engine import axes
from sporax._src.engine.arguments import floats
from sporax._src.engine.table import op


@op(
    ref="numpy.diff",
    cases=("T(4)", "T(2, 3), 2", "T(2, 3), 1, 0", "T(2, 3), prepend=T(2, 1)", "B(4)"),
    errors=(("T(2, 3), 1, 5", "axis must be in"), ("T(3), -1", "n must")),
    method="diff",
)
def diff(x: Array, n: int = 1, axis: int = -1, prepend: OptArray = None, append: OptArray = None) -> Array:
    """Return the differences of neighbours along an axis, n times over.

    Args:
        x: A Tensor.
        n: How often to take differences.
        axis: The axis.
        prepend, append: Values joined to the ends of x first.

    Raises:
        ValueError: If `n` is negative or the axis out of range.

    Examples:
        >>> ops.diff(Tensor([1, 4, 9])).asnumpy()
        array([3, 5])
    """
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}.")
    x, *ends = unify(*[v for v in (x, prepend, append) if v is not None])
    prepend, append = (None if v is None else ends.pop(0) for v in (prepend, append))
    return jnp.diff(x, n, axes.one(axis, x.ndim), prepend, append)


@op(
    ref="numpy.trapezoid",
    cases=("T(2, 3)", "T(2, 3), dx=2.0", "T(2, 3), T(3)", "I(4)"),
    errors=(("T()", "dim must be in [0, 0)"),),
)
def trapz(y: Array, x: OptArray = None, *, dx: float = 1.0, dim: int = -1) -> Array:
    """Return the integral of y along an axis by the trapezoid rule, at points x or dx apart.

    Args:
        y: A Tensor of numbers; integers become float32.
        x: The points, a Tensor (n,) or of the shape of y; None: `dx` apart.
        dx: The distance of the points.
        dim: The axis.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.trapz(Tensor([1.0, 2.0, 3.0])).asnumpy()
        array(4., dtype=float32)
    """
    (y,) = floats(y)
    return jnp.trapezoid(y, None if x is None else x.astype(y.dtype), dx, axes.one(dim, y.ndim, "dim"))
