"""Checks and small conversions that the neural-network families share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array

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


def reduce_loss(loss: Array, reduction: str) -> Array:
    """Return the loss itself, its mean or its sum."""
    return LOSS_REDUCTION[check_choice(reduction, REDUCTIONS, "reduction")](loss)


LOSS_REDUCTION: dict[str, Callable[[Array], Array]] = {"none": lambda loss: loss, "mean": jnp.mean, "sum": jnp.sum}
