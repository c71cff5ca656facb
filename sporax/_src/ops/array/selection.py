"""Choosing between elements: where, select, and limits on values and norms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Arrays, OptArray, number
from sporax._src.bindings.call_errors import forms
from sporax._src.bindings.tensor_methods import method
from sporax._src.core.dtype import from_numpy, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import inexact, is_number, known
from sporax._src.engine.table import composite, internal, op

_REF = "references.math."


@op(
    ref="numpy.where",
    cases=("B(2, 3), T(2, 3), T(3)", "B(3), T(3), 0.0", "B(3), 1, I(3)", "B(2, 1), T(3), I(3)", "B(0, 3), T(3), T(3)"),
    errors=(("B(2, 3), T(4), T(4)", "ops."), ("T(2), T(2), T(2)", "condition")),
)
def where(condition: Array, input: Array, other: Array) -> Array:
    """Return input where condition holds, other elsewhere.

    Args:
        condition: A Tensor of booleans.
        input, other: Tensors or numbers; the three shapes broadcast, the dtypes of these two are promoted.

    Raises:
        TypeError: If `condition` is not boolean.

    Examples:
        >>> ops.where(Tensor([True, False]), Tensor([1.0, 2.0]), 0).asnumpy()
        array([1., 0.], dtype=float32)
    """
    condition = jnp.asarray(condition)  # in a graph, a number is not converted to a Tensor
    if condition.dtype != bool:
        raise TypeError(f"condition must be a Tensor of booleans, got {from_numpy(condition.dtype)}.")
    return jnp.where(condition, *unify(input, other))


method("where")(lambda self, condition, y: where(condition, self, y))


@op(
    ref="numpy.where",
    cases=("B(2, 3), T(2, 3), T(3)", "B(3), T(3), 0.0", "B(3), I(3), 1.5"),
    errors=(("T(2), T(2), T(2)", "condition"),),
    primitive="Select()",
)
def select(condition: Array, input: Array, other: Array) -> Array:
    """Return input where condition holds, other elsewhere (as `where`).

    Args:
        condition: A Tensor of booleans.
        input: A Tensor or number.
        other: A Tensor or number; the three broadcast.

    Raises:
        TypeError: If `condition` does not hold booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.select(Tensor([True, False]), Tensor([1, 2]), Tensor([8, 9])).asnumpy()
        array([1, 9])
    """
    return where.raw(condition, input, other)


# --- limits on values -----------------------------------------------------------------------------------------------


def _clip(x: Array, low: OptArray, high: OptArray) -> Array:
    if low is None and high is None:
        raise ValueError("at least one of 'min' or 'max' must not be None.")
    x = known(x)
    if low is not None:
        low = jnp.asarray(low).astype(x.dtype)
        x = jnp.where(x < low, low, x)
    if high is not None:
        high = jnp.asarray(high).astype(x.dtype)
        x = jnp.where(x > high, high, x)
    return x


@op(
    ref=_REF + "clip",
    cases=(
        "T(2, 3), -0.5, 0.5",
        "T(3), None, 0.5",
        "T(2, 3), 0.0",
        "I(4), -1.5, 2",
        "T(2, 3), -P(3), P(3)",
        "T(0, 3), 0.0",
    ),
    errors=(("T(2)", "at least one"), ("T(2), T(3)", "ops."), ("T(2), T(2), 4", "Failed calling clamp")),
    aliases="clip",
    method=("clamp", "clip"),
)
def clamp(input: Array, min: OptArray = None, max: OptArray = None) -> Array:
    """Return input moved into [min, max].

    Args:
        input: A Tensor; the result has its dtype.
        min, max: Two numbers or two Tensors; None for no limit. Where min is above max, max wins.

    Raises:
        TypeError: If one limit is a number and the other a Tensor.
        ValueError: If both limits are None.

    Examples:
        >>> ops.clamp(Tensor([-1.0, 0.5, 2.0]), 0, 1).asnumpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    if min is not None and max is not None and is_number(min) != is_number(max):
        kinds = ", ".join("number" if is_number(limit) else "Tensor" for limit in (min, max))
        raise TypeError(
            f'Failed calling clamp with "clamp({kinds})": min and max must both be numbers or both be Tensors.'
        )
    return _clip(input, min, max)


@internal("clip_by_value")
def _limited(x: Array, low: OptArray, high: OptArray) -> Array:
    if low is None and high is None:
        raise ValueError("at least one of 'min' or 'max' must not be None.")
    x = known(x)
    x = x if low is None else jnp.maximum(x, jnp.asarray(low).astype(x.dtype))
    return x if high is None else jnp.minimum(x, jnp.asarray(high).astype(x.dtype))


forms(
    "clamp",
    "clip",
    of=("min: float | None = None, max: float | None = None", "min: Tensor | None = None, max: Tensor | None = None"),
)


@composite(
    ref=_REF + "clip_by_value",
    cases=("T(2, 3), -0.5, 0.5", "T(3), None, 0.5", "[T(3), I(2)], 0, 1"),
    errors=(("T(2)", "at least one"),),
)
def clip_by_value(
    x: object, clip_value_min: Tensor | float | None = None, clip_value_max: Tensor | float | None = None
) -> Any:
    """Return x, or each Tensor of a sequence x, moved into [clip_value_min, clip_value_max].

    An element that equals a limit shares its gradient with it, as in `minimum` and `maximum`; `clamp` keeps it.

    Args:
        x: A Tensor, or a list or tuple of Tensors (then the result is a tuple).
        clip_value_min: The lower limit, a number or Tensor; None: no limit.
        clip_value_max: The upper limit, a number or Tensor; None: no limit.

    Raises:
        ValueError: If both limits are None.

    Examples:
        >>> ops.clip_by_value(Tensor([1.0, 5.0, 9.0]), 2.0, 6.0).asnumpy()
        array([2., 5., 6.], dtype=float32)
    """
    return _each(lambda t: _limited(t, clip_value_min, clip_value_max), x)


def _each(fn: Callable[[Tensor], Tensor], x: Any) -> Any:
    return tuple([fn(t) for t in x]) if isinstance(x, (list, tuple)) else fn(x)


# --- limits on norms ------------------------------------------------------------------------------------------------


@internal("clip_by_norm")
def _by_norm(xs: Arrays, max_norm: Array, norm_type: float) -> tuple[Array, ...]:
    xs = [inexact(x, "x") for x in xs]
    sizes = [jnp.abs(x.astype(jnp.float32) if x.dtype.itemsize < 4 else x) for x in xs]
    if norm_type == float("inf"):
        total = jnp.max(jnp.stack([jnp.max(s) for s in sizes]))
    else:
        total = sum(jnp.sum(s**norm_type) for s in sizes) ** (1.0 / norm_type)
    scale = jnp.minimum(jnp.asarray(max_norm).astype(total.dtype) / (total + 1e-6), jnp.ones((), total.dtype))
    return (total, *[x * scale.astype(x.dtype) for x in xs])


@composite(
    ref=_REF + "clip_by_norm",
    cases=("T(2, 3), 1.0", "T(3), 100.0", "[T(3), T(2)], 0.5, 1.0"),
    errors=(("I(3), 1.0", "float"),),
)
def clip_by_norm(x: object, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Return x (or each Tensor of a sequence) scaled down until the norm of all elements together is at most max_norm.

    Args:
        x: A Tensor of floats, or a sequence of them.
        max_norm: The limit.
        norm_type: The order of the norm, also `float("inf")`.
        error_if_nonfinite: Raise if the norm is NaN or infinite.

    Raises:
        TypeError: If `x` is not of a float or complex dtype.
        RuntimeError: If the norm is not finite and `error_if_nonfinite` is set.

    Examples:
        >>> ops.clip_by_norm(Tensor([3.0, 4.0]), 1.0).asnumpy().round(3)
        array([0.6, 0.8], dtype=float32)
    """
    several = isinstance(x, (list, tuple))
    total, *out = _by_norm(list(x) if several else [x], max_norm, float(norm_type))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"ops.clip_by_norm: the norm of order {norm_type} must be finite to scale by it, got {total.item()}."
        )
    return tuple(out) if several else out[0]


@op(
    ref=_REF + "clip_by_global_norm",
    cases=("[T(2, 3), T(3)], 1.0", "[T(3)], 100.0"),
    errors=(("[], 1.0", "at least one"), ("[T(2)], 1.0, 2.0", "use_norm")),
)
def clip_by_global_norm(x: Arrays, clip_norm: Array = number(1.0), use_norm: OptArray = None) -> tuple[Array, ...]:
    """Return Tensors scaled by clip_norm / max(n, clip_norm), n the 2-norm of all their elements together (Pascanu et
    al., 2013, arXiv:1211.5063).

    Args:
        x: A sequence of Tensors.
        clip_norm: The limit on the norm.
        use_norm: Must be None.

    Raises:
        TypeError: If a Tensor is not of a float or complex dtype.
        ValueError: If `x` is empty, or `use_norm` is given.

    Examples:
        >>> [t.asnumpy().round(3).tolist() for t in ops.clip_by_global_norm([Tensor([3.0]), Tensor([4.0])], 2.5)]
        [[1.5], [2.0]]
    """
    if use_norm is not None:
        raise ValueError("use_norm must be None: only the norm of x is supported.")
    if not x:
        raise ValueError("x must hold at least one Tensor, got an empty sequence.")
    xs = [inexact(t, "x") for t in x]
    wide = [t.astype(jnp.float32) if t.dtype.itemsize < 4 else t for t in xs]
    top = jnp.result_type(*wide) if len({t.dtype for t in wide}) == 1 else jnp.dtype(jnp.float64)
    total = jnp.sqrt(sum(jnp.sum(jnp.square(t)).astype(top) for t in wide))
    limit = jnp.asarray(clip_norm).astype(top)
    scale = limit / jnp.maximum(total, limit)
    return tuple([t * scale.astype(t.dtype) for t in xs])
