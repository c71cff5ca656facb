"""The operations of a trace as `numpy_programs` sees them: their sizes, which of them are needed, how long NumPy takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from sporax._src.base.jax_compat import is_literal, is_variable_size, size_at

_MOST_ELEMENTS = 2**20  # elements of a value: above, compilation pays off soon
_AT_ONCE = 16  # multiplications of a product in the time of one element
OF_A_CALL = 2000  # elements in the time of a call

Step = Callable[..., Any]


class Equation(Protocol):
    """An operation of a traced function: JAX's `JaxprEqn`, or one with values for its variable sizes."""

    primitive: Any
    params: dict[str, Any]
    invars: Sequence[Any]
    outvars: Sequence[Any]


Factory = Callable[[Equation], Step]


class NotInNumPy(Exception):
    """An operation is not implemented here, or too large to be faster than a compiled one."""


def needed(graph: Any) -> list[Any]:
    """Return the operations of a graph on which its results depend."""
    used = {v for v in graph.outvars if not is_literal(v)}
    kept = []
    for eqn in reversed(graph.eqns):
        if not used.isdisjoint(eqn.outvars):
            kept.append(eqn)
            used.update(v for v in eqn.invars if not is_literal(v))
    return kept[::-1]


def fits(aval: Any) -> bool:
    """Return whether NumPy's results equal XLA's for such values: XLA keeps narrow types in wider ones between operations."""
    dtype = getattr(aval, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biuf" or (dtype.kind == "f" and dtype.itemsize < 4):
        return False
    return math.prod(aval.shape) <= _MOST_ELEMENTS


def sized(eqn: Equation, sizes: dict[str, int]) -> Any:
    """Return an operation with values for the variables in its shapes and parameters."""

    def of_size(value: Any) -> Any:
        if type(value) in (tuple, list):
            return tuple([of_size(v) for v in value])
        return size_at(value, sizes)

    def of(variable: Any) -> Any:
        aval = variable.aval
        return SimpleNamespace(aval=SimpleNamespace(shape=of_size(aval.shape), dtype=aval.dtype, ndim=len(aval.shape)))

    return SimpleNamespace(
        primitive=eqn.primitive,
        params={name: of_size(value) for name, value in eqn.params.items()},
        invars=[of(v) for v in eqn.invars],
        outvars=[of(v) for v in eqn.outvars],
    )


def has_variables(eqn: Equation) -> bool:
    """Return whether shapes or parameters of an operation have variables."""

    def has(value: Any) -> bool:
        return any(map(has, value)) if type(value) in (tuple, list) else is_variable_size(value)

    return any(has(v.aval.shape) for v in (*eqn.invars, *eqn.outvars)) or any(map(has, eqn.params.values()))


def work_of(eqn: Equation) -> int:
    """Return how long NumPy takes for an operation (see `Program.work`)."""
    out = math.prod(eqn.outvars[0].aval.shape)
    if eqn.primitive.name == "dot_general":
        left = eqn.invars[0].aval.shape
        return out * math.prod(left[axis] for axis in eqn.params["dimension_numbers"][0][0]) // _AT_ONCE
    if eqn.primitive.name == "conv_general_dilated":
        kernel = eqn.invars[1].aval.shape
        return out * math.prod(kernel) // kernel[eqn.params["dimension_numbers"].rhs_spec[0]] // _AT_ONCE
    return out + OF_A_CALL
