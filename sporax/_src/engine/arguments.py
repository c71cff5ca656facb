"""Checks of operands, and the promotion of their dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.errors import warn_user
from sporax._src.base.typing import Array
from sporax._src.core.dtype import from_numpy, to_float, unify


def known(x: Array) -> Array:
    """Return an operand as an array with the dtype of a Tensor of it (Python floats: float32, integers: int64)."""
    return unify(x)[0]


def inexact(x: Array, name: str = "input") -> Array:
    """Return an operand of a float or complex dtype.

    Raises:
        TypeError: If it holds integers or booleans, which MindSpore does not convert for this operator.
    """
    x = known(x)
    if not jnp.issubdtype(x.dtype, np.inexact):
        raise TypeError(
            f"{name} must have a float or complex dtype, got {from_numpy(x.dtype)}; convert it with .float()."
        )
    return x


def floating(x: Array, name: str = "input") -> Array:
    """Return an operand of a real float dtype.

    Raises:
        TypeError: If it holds anything else.
    """
    x = known(x)
    if not jnp.issubdtype(x.dtype, np.floating):
        raise TypeError(f"{name} must have a float dtype, got {from_numpy(x.dtype)}.")
    return x


def flag(value: object, name: str) -> None:
    """Check that a value is a bool.

    Raises:
        TypeError: If `value` is something else.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, got {value!r}.")


def integral(x: Array, name: str = "input", *, boolean: bool = True) -> Array:
    """Return an operand of an integer (or boolean) dtype.

    Raises:
        TypeError: If it holds anything else.
    """
    if x.dtype.kind not in ("iub" if boolean else "iu"):
        raise TypeError(f"{name} must have an integer dtype, got {from_numpy(x.dtype)}.")
    return x


def shaped(x: Array, shape: Sequence[int], name: str) -> Array:
    """Return an operand of a given shape.

    Raises:
        ValueError: If it has another.
    """
    x = jnp.asarray(x)
    if x.shape != tuple(shape):
        raise ValueError(f"{name} must have shape {list(shape)}, got {list(x.shape)}.")
    return x


def floats(*xs: Array) -> tuple[Array, ...]:
    """Return operands in their common dtype; integers and booleans become float32."""
    return tuple([to_float(x) for x in unify(*xs)])


def is_number(operand: Array) -> bool:
    """Return whether an operand of a running operation was given as a number, not as a Tensor."""
    weak = getattr(getattr(operand, "aval", None), "weak_type", False)
    return isinstance(operand, (bool, int, float, complex)) or (weak and not operand.ndim)


def magnitude(x: Array) -> Array:
    """Return |x| with the derivative sign(x), which is 0 at 0 (JAX's is 1)."""
    return x * lax.stop_gradient(jnp.sign(x)) if jnp.issubdtype(x.dtype, np.floating) else jnp.abs(x)


def wide(x: Array) -> Array:
    """Return 16-bit floats as float32, anything else as it is."""
    return x.astype(np.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


# --- what the neural-network families share -----------------------------------------------------------------------------

REDUCTIONS = ("none", "mean", "sum")


def check_float(x: Array) -> None:
    """Raise TypeError unless x holds floating-point numbers."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise TypeError(f"expected a float Tensor, got {x.dtype}.")


def check_rank(x: Array, ranks: Sequence[int], name: str = "input") -> None:
    """Raise ValueError unless the rank of x is one of `ranks`."""
    if x.ndim not in ranks:
        raise ValueError(f"{name} must have {' or '.join(map(str, ranks))} axes, got shape {list(x.shape)}.")


def check_choice(value: Any, choices: Sequence[str], name: str) -> str:
    """Return `value` in lower case; raise ValueError unless it is one of `choices`."""
    lowered = value.lower() if isinstance(value, str) else value
    if lowered not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")
    return lowered


def ntuple(value: Any, n: int, name: str, low: int = 1) -> tuple[int, ...]:
    """Return n ints from one int or n ints, or from their form with the batch and channel axes (1, 1, ...)."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * n
    if len(values) == n + 2:
        values = values[2:]
    if len(values) == 1:
        values *= n
    if len(values) != n or not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        raise ValueError(f"{name} must be an int or {n} ints, got {value!r}.")
    if min(values) < low:
        raise ValueError(f"{name} must be at least {low}, got {value!r}.")
    return values


def alike(label: str) -> Callable[..., list[Any]]:
    """Return the `bounds=` of a loss of pairs: it warns if the two shapes differ and are broadcast.

    Args:
        label: The prefix of the warning.
    """

    def look(**operands: Any) -> list[Any]:
        x, y = tuple(operands.values())[:2]
        if hasattr(x, "shape") and hasattr(y, "shape") and x.shape != y.shape:
            first, second, both = map(list, (x.shape, y.shape, np.broadcast_shapes(x.shape, y.shape)))
            warn_user(
                f"{label}: the shapes {first} and {second} differ, and are broadcast to {both}; reshape one of the two if each "
                "element has its own partner."
            )
        return []

    return look


def reduce_loss(loss: Array, reduction: str) -> Array:
    """Return the loss itself, its mean or its sum."""
    return LOSS_REDUCTION[check_choice(reduction, REDUCTIONS, "reduction")](loss)


LOSS_REDUCTION: dict[str, Callable[[Array], Array]] = {"none": lambda loss: loss, "mean": jnp.mean, "sum": jnp.sum}
