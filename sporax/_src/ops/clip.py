"""Operators that bound values or norms: clip_by_value, clip_by_norm, clip_by_global_norm."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, OptArray, Static
from sporax._src.core.dtype import to_float
from sporax._src.core.tensor import Tensor
from sporax._src.ops.table import composite, internal

REF = "sporax._src.testing.array_references."


@internal("clip_by_value")
def _clip(x: Array, low: OptArray, high: OptArray) -> Array:
    out = x
    if low is not None:
        out = jnp.maximum(out, jnp.asarray(low).astype(x.dtype))
    if high is not None:
        out = jnp.minimum(out, jnp.asarray(high).astype(x.dtype))
    return out


@composite(ref=REF + "clip_by_value", cases=("T(2, 3), -0.5, 0.5", "T(2, 3), None, D(0.1)", "I(4), 0", "(T(2), T(3)), 0.0, 1.0"), errors=(("T(2)", "at least one"),))
def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """Return min(max(x, clip_value_min), clip_value_max), in the dtype of x.

    Args:
        x: A Tensor, or a tuple or list of them.
        clip_value_min, clip_value_max: Numbers or Tensors that broadcast; at least one of them.

    Examples:
        >>> ops.clip_by_value(Tensor([-1.0, 0.5, 2.0]), 0, 1).asnumpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    if clip_value_min is None and clip_value_max is None:
        raise ValueError("ops.clip_by_value: give at least one of clip_value_min and clip_value_max.")
    if isinstance(x, (tuple, list)):
        return type(x)(_clip(v, clip_value_min, clip_value_max) for v in x)
    return _clip(x, clip_value_min, clip_value_max)


def _total_norm(xs: Arrays, norm_type: float) -> Array:
    """Return the norm of all elements together, accumulated in float32 at least."""
    flat = [to_float(x).astype(jnp.promote_types(to_float(x).dtype, np.float32)) for x in xs]
    if norm_type == float("inf"):
        return jnp.max(jnp.stack([jnp.max(jnp.abs(x)).astype(np.float32) for x in flat]))
    total = jnp.sum(jnp.stack([jnp.sum(jnp.abs(x) ** norm_type, dtype=x.dtype).astype(np.float32) for x in flat]), dtype=np.float32)
    return total ** np.float32(1 / norm_type)


@internal("clip_by_norm")
def _clip_by_norm(xs: Arrays, max_norm: Array, norm_type: Static) -> Any:
    factor = jnp.asarray(max_norm).astype(np.float32) / (_total_norm(xs, norm_type) + np.float32(1e-6))
    factor = jnp.minimum(factor, np.float32(1))
    return tuple([to_float(x) * factor.astype(to_float(x).dtype) for x in xs])


@composite(ref=REF + "clip_by_norm", cases=("T(2, 3), 1.0", "(T(2), T(3)), 0.5", "T(3), 0.5, 1.0"), errors=(("T(2), 'x'", "max_norm"), ("3, 1.0", "Tensor")))
def clip_by_norm(x: Any, max_norm: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Return x·min(1, max_norm / (‖x‖ + 1e-6)), the norm taken over all Tensors together.

    Args:
        x: A Tensor, or a tuple or list of them.
        max_norm: The largest norm of the result.
        norm_type: The order of the norm; `float("inf")` for the largest element.
        error_if_nonfinite: Raise RuntimeError if the norm is nan or infinite (needs the value: not in a graph).
    """
    single = isinstance(x, Tensor)
    given = (x,) if single else x
    if not isinstance(given, (tuple, list)) or not all(isinstance(v, Tensor) for v in given):
        raise TypeError(f"ops.clip_by_norm: x must be a Tensor or a sequence of them, got {type(x).__name__}.")
    if not isinstance(max_norm, (int, float, Tensor)):
        raise TypeError(f"ops.clip_by_norm: max_norm must be a number, got {type(max_norm).__name__}.")
    if error_if_nonfinite and not np.isfinite(norm_of(given, float(norm_type)).asnumpy()):
        raise RuntimeError("ops.clip_by_norm: the norm of x is not finite.")
    out = _clip_by_norm(given, max_norm, float(norm_type))
    return out[0] if single else type(x)(out)


@internal("clip_by_norm")
def norm_of(xs: Arrays, norm_type: Static) -> Array:
    """Return the norm of all elements of Tensors together."""
    return _total_norm(xs, norm_type)


@internal("clip_by_global_norm")
def _clip_by_global_norm(xs: Arrays, clip_norm: Array, use_norm: OptArray) -> Any:
    norm = _total_norm(xs, 2.0) if use_norm is None else jnp.asarray(use_norm).astype(np.float32)
    bound = jnp.asarray(clip_norm).astype(np.float32)
    factor = bound / jnp.maximum(norm, bound)
    return tuple([x * factor.astype(x.dtype) for x in map(to_float, xs)])


@composite(ref=REF + "clip_by_global_norm", cases=("(T(2, 3), T(4)), 1.0", "(T(2),), 100.0", "(T(2), T(3)), 1.0, 4.0"), errors=(("(T(2),), 0.0", "positive"), ("3", "sequence")))
def clip_by_global_norm(x: Any, clip_norm: float = 1.0, use_norm: Any = None) -> tuple[Tensor, ...]:
    """Return Tensors scaled by clip_norm / max(‖x‖, clip_norm), the norm taken over all of them together.

    Args:
        x: A tuple or list of Tensors.
        clip_norm: The largest norm of the result.
        use_norm: The norm of x, where it is known.
    """
    if not isinstance(x, (tuple, list)):
        raise TypeError(f"ops.clip_by_global_norm: x must be a sequence of Tensors, got {type(x).__name__}.")
    if not isinstance(clip_norm, Tensor) and clip_norm <= 0:
        raise ValueError(f"ops.clip_by_global_norm: clip_norm must be positive, got {clip_norm}.")
    return _clip_by_global_norm(x, clip_norm, use_norm)
