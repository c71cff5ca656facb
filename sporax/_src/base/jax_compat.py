"""The only door to private or version-dependent JAX."""

from __future__ import annotations

import jax
import jax.extend as jex
from jax.core import Tracer

__all__ = ["UNTRACEABLE", "Array", "Tracer", "is_tracer", "jaxpr_as_fun", "remove_weak_type"]

Array = jax.Array

# What JAX raises when Python asks a traced value for something only a concrete value has.
UNTRACEABLE: tuple[type[Exception], ...] = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)

jaxpr_as_fun = jex.core.jaxpr_as_fun


def is_tracer(value: object) -> bool:
    """Tell whether `value` stands for an array that is still to be computed."""
    return isinstance(value, Tracer)


def remove_weak_type(value: Array) -> Array:
    """Return `value` with its dtype made definite: nothing downstream sees JAX's weak types."""
    return jax.lax.convert_element_type(value, value.dtype) if value.aval.weak_type else value
