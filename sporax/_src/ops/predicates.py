"""Tests of single elements (isnan, isfinite, ...) and of the kind of a Tensor."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.ops.checks import known
from sporax._src.ops.methods import method
from sporax._src.ops.table import composite, op

_REF = "sporax._src.testing.math_references."
_ODD = ("T(2, 3)", "D([1.0, np.nan, np.inf, -np.inf])", "I(3)", "B(2)", "T(0, 3)")


@op(ref="numpy.isnan", cases=(*_ODD, "C(2)"), method="isnan", primitive="IsNan()", grad=0)
def isnan(input: Array) -> Array:
    """Return whether elements are NaN."""
    return jnp.isnan(known(input))


@op(ref="numpy.isinf", cases=_ODD, method="isinf", primitive="IsInf()", grad=0)
def isinf(input: Array) -> Array:
    """Return whether elements are infinite."""
    return jnp.isinf(known(input))


@op(ref="numpy.isfinite", cases=_ODD, method="isfinite", primitive="IsFinite()", grad=0)
def isfinite(input: Array) -> Array:
    """Return whether elements are neither NaN nor infinite."""
    return jnp.isfinite(known(input))


@op(ref="numpy.isneginf", cases=_ODD[:3], method="isneginf", grad=0)
def isneginf(input: Array) -> Array:
    """Return whether elements are -∞."""
    return jnp.isneginf(known(input))


@op(ref="numpy.isposinf", cases=_ODD[:3], method="isposinf", grad=0)
def isposinf(input: Array) -> Array:
    """Return whether elements are +∞."""
    return jnp.isposinf(known(input))


@op(ref="numpy.isreal", cases=("T(2, 3)", "D([1 + 2j, 3 + 0j], np.complex64)"), method="isreal", grad=0)
def isreal(input: Array) -> Array:
    """Return whether elements have no imaginary part."""
    return jnp.isreal(known(input))


@composite(cases=("T(2)",))
def is_tensor(obj: Any) -> bool:
    """Tell whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


@composite(cases=("T(2)",), method="is_floating_point")
def is_floating_point(input: Tensor) -> bool:
    """Tell whether a Tensor has a real float dtype."""
    return input.dtype.kind == "f"


@composite(cases=("T(2)",), method="is_complex")
def is_complex(input: Tensor) -> bool:
    """Tell whether a Tensor has a complex dtype."""
    return input.dtype.kind == "c"


@method("is_signed")
def _is_signed(self: Tensor) -> bool:
    return self.dtype.is_signed


@composite(cases=("D([2.0])",), errors=(("T(2)", "one element"),), jit=False)
def is_nonzero(input: Tensor) -> bool:
    """Tell whether the only element is not 0.

    Raises:
        ValueError: If there is more than one element.
    """
    if input.size != 1:
        raise ValueError(f"ops.is_nonzero: input must have one element, got shape {list(input.shape)}.")
    return bool(input)


@op(ref=_REF + "float_status", cases=("T(2, 3)", "D([np.nan, 1.0])"), primitive="FloatStatus()", grad=0)
def float_status(x: Array) -> Array:
    """Return a Tensor of one element: 1 if x holds NaN or infinity, else 0."""
    return jnp.any(~jnp.isfinite(x)).astype(jnp.float32).reshape(1)
