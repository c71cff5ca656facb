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


@op(
    ref="numpy.isnan",
    cases=(*_ODD, "C(2)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="isnan",
    primitive="IsNan()",
    grad=0,
)
def isnan(input: Array) -> Array:
    """Return whether elements are NaN, as booleans.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.isnan(Tensor([1.0, np.nan])).asnumpy()
        array([False,  True])
    """
    return jnp.isnan(known(input))


@op(
    ref="numpy.isinf",
    cases=_ODD,
    errors=(("None", "operands must be Tensors or numbers"),),
    method="isinf",
    primitive="IsInf()",
    grad=0,
)
def isinf(input: Array) -> Array:
    """Return whether elements are +∞ or -∞, as booleans.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.isinf(Tensor([1.0, -np.inf])).asnumpy()
        array([False,  True])
    """
    return jnp.isinf(known(input))


@op(
    ref="numpy.isfinite",
    cases=_ODD,
    errors=(("None", "operands must be Tensors or numbers"),),
    method="isfinite",
    primitive="IsFinite()",
    grad=0,
)
def isfinite(input: Array) -> Array:
    """Return whether elements are neither NaN nor infinite, as booleans.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.isfinite(Tensor([1.0, np.inf])).asnumpy()
        array([ True, False])
    """
    return jnp.isfinite(known(input))


@op(
    ref="numpy.isneginf",
    cases=_ODD[:3],
    errors=(("C(2, 3)", "isposinf/isneginf are not well defined for"),),
    method="isneginf",
    grad=0,
)
def isneginf(input: Array) -> Array:
    """Return whether elements are -∞, as booleans.

    Args:
        input: A Tensor of real numbers.

    Raises:
        ValueError: If `input` is complex.

    Examples:
        >>> ops.isneginf(Tensor([np.inf, -np.inf])).asnumpy()
        array([False,  True])
    """
    return jnp.isneginf(known(input))


@op(
    ref="numpy.isposinf",
    cases=_ODD[:3],
    errors=(("C(2, 3)", "isposinf/isneginf are not well defined for"),),
    method="isposinf",
    grad=0,
)
def isposinf(input: Array) -> Array:
    """Return whether elements are +∞, as booleans.

    Args:
        input: A Tensor of real numbers.

    Raises:
        ValueError: If `input` is complex.

    Examples:
        >>> ops.isposinf(Tensor([np.inf, -np.inf])).asnumpy()
        array([ True, False])
    """
    return jnp.isposinf(known(input))


@op(
    ref="numpy.isreal",
    cases=("T(2, 3)", "D([1 + 2j, 3 + 0j], np.complex64)"),
    errors=(("None", "operands must be Tensors or numbers"),),
    method="isreal",
    grad=0,
)
def isreal(input: Array) -> Array:
    """Return whether elements have no imaginary part, as booleans.

    Args:
        input: A Tensor of numbers.

    Examples:
        >>> ops.isreal(Tensor([1 + 2j, 3 + 0j])).asnumpy()
        array([False,  True])
    """
    return jnp.isreal(known(input))


@composite(cases=("T(2)",))
def is_tensor(obj: Any) -> bool:
    """Tell whether `obj` is a Tensor.

    Args:
        obj: Anything; a Parameter is a Tensor.

    Examples:
        >>> ops.is_tensor(Tensor([1.0])), ops.is_tensor(1.0)
        (True, False)
    """
    return isinstance(obj, Tensor)


def _kind_of(input: Any, name: str) -> str:
    if not isinstance(input, Tensor):
        raise TypeError(f"ops.{name}: input must be a Tensor, got {input!r}.")
    return input.dtype.kind


@composite(cases=("T(2)",), errors=(("1.0", "input must be a Tensor, got 1.0"),), method="is_floating_point")
def is_floating_point(input: Tensor) -> bool:
    """Tell whether a Tensor has a real float dtype.

    Args:
        input: A Tensor.

    Raises:
        TypeError: If `input` is no Tensor.

    Examples:
        >>> ops.is_floating_point(Tensor([1.0])), ops.is_floating_point(Tensor([1]))
        (True, False)
    """
    return _kind_of(input, "is_floating_point") == "f"


@composite(cases=("T(2)",), errors=(("1j", "input must be a Tensor, got 1j"),), method="is_complex")
def is_complex(input: Tensor) -> bool:
    """Tell whether a Tensor has a complex dtype.

    Args:
        input: A Tensor.

    Raises:
        TypeError: If `input` is no Tensor.

    Examples:
        >>> ops.is_complex(Tensor([1j])), ops.is_complex(Tensor([1.0]))
        (True, False)
    """
    return _kind_of(input, "is_complex") == "c"


@method("is_signed")
def _is_signed(self: Tensor) -> bool:
    """Tell whether the dtype has negative numbers.

    Examples:
        >>> Tensor([1.0]).is_signed()
        True
    """
    return self.dtype.is_signed


@composite(cases=("D([2.0])",), errors=(("T(2)", "one element"),), jit=False)
def is_nonzero(input: Tensor) -> bool:
    """Tell whether the only element is not 0.

    Args:
        input: A Tensor of one element.

    Raises:
        ValueError: If there is more than one element.

    Examples:
        >>> ops.is_nonzero(Tensor([2.0]))
        True
    """
    if input.size != 1:
        raise ValueError(f"ops.is_nonzero: input must have one element, got shape {list(input.shape)}.")
    return bool(input)


@op(
    ref=_REF + "float_status",
    cases=("T(2, 3)", "D([np.nan, 1.0])"),
    errors=(("None", "operands must be Tensors or numbers"),),
    primitive="FloatStatus()",
    grad=0,
)
def float_status(x: Array) -> Array:
    """Return a float32 Tensor of one element: 1 if x holds NaN or infinity, else 0.

    Args:
        x: A Tensor.

    Examples:
        >>> ops.FloatStatus()(Tensor([1.0, np.nan])).asnumpy()
        array([1.], dtype=float32)
    """
    return jnp.any(~jnp.isfinite(x)).astype(jnp.float32).reshape(1)
