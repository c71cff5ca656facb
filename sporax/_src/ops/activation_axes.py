"""Activation functions along an axis: softmax and gates."""

from __future__ import annotations

from typing import Any

import jax
from jax import lax

from sporax._src.base.typing import Array, Axis, Static
from sporax._src.core import dtype as mstype
from sporax._src.ops.methods import method
from sporax._src.ops.nn_checks import check_float
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import op


def _dims(x: Array, axis: Axis) -> Axis:
    """Check an axis, or several, against the rank of x."""
    for a in axis if isinstance(axis, tuple) else (axis,):
        if isinstance(a, bool) or not isinstance(a, int):
            raise TypeError(f"axis must be an int, got {a!r}.")
        if not -max(x.ndim, 1) <= a < max(x.ndim, 1):
            raise ValueError(f"axis must be in [{-x.ndim}, {x.ndim}), got {a}.")
    return axis if x.ndim else ()


_AXIS = (("T(2, 3), 2", "axis must be in [-2, 2)"), ("I(3)", "float"))


@op(
    ref="sporax._src.testing.nn_references.softmax",
    cases=("T(2, 3)", "T(2, 3), 0", "T(4)", "T(2, 3, 4), 1", "T(0, 3)"),
    errors=_AXIS,
    primitive="Softmax(axis=-1)",
)
def softmax(input: Array, axis: Axis = -1, *, dtype: Static = None) -> Array:
    """Return exp(input) / Σ exp(input), the sum taken along `axis`.

    Args:
        input: A Tensor of floats.
        axis: The axis (or axes) along which the result adds up to 1.
        dtype: The dtype to which the input is cast first.

    Raises:
        TypeError: If `input` holds integers or booleans.
        ValueError: If `axis` is not an axis of the input.

    Examples:
        >>> ops.softmax(Tensor([1.0, 1.0])).asnumpy()
        array([0.5, 0.5], dtype=float32)
    """
    x = input if dtype is None else input.astype(mstype.to_numpy(dtype))
    check_float(x)
    return jax.nn.softmax(x, _dims(x, axis))


@op(
    ref="sporax._src.testing.nn_references.log_softmax",
    cases=("T(2, 3)", "T(2, 3), 0", "T(4)", "T(0, 3)"),
    errors=_AXIS,
    primitive="LogSoftmax(axis=-1)",
)
def log_softmax(logits: Array, axis: int = -1) -> Array:
    """Return logits - ln Σ exp(logits), the sum taken along `axis`.

    Args:
        logits: A Tensor of floats.
        axis: The axis along which the exponentials of the result add up to 1.

    Raises:
        TypeError: If `logits` holds integers or booleans.
        ValueError: If `axis` is not an axis of the input.

    Examples:
        >>> ops.log_softmax(Tensor([1.0, 1.0])).asnumpy().round(3)
        array([-0.693, -0.693], dtype=float32)
    """
    check_float(logits)
    return jax.nn.log_softmax(logits, _dims(logits, axis))


@op(ref="torch.nn.functional.softmin", cases=("T(2, 3), -1", "T(2, 3), 0"), errors=_AXIS)
def softmin(x: Array, axis: Axis = -1, *, dtype: Static = None) -> Array:
    """Return softmax(-x) along `axis`.

    Args:
        x: A Tensor of floats.
        axis: The axis (or axes) along which the result adds up to 1.
        dtype: The dtype to which x is cast first; None keeps its own.

    Raises:
        TypeError: If `x` holds integers or booleans.
        ValueError: If `axis` is not an axis of x.

    Examples:
        >>> ops.softmin(Tensor([1.0, 1.0])).asnumpy()
        array([0.5, 0.5], dtype=float32)
    """
    x = x if dtype is None else x.astype(mstype.to_numpy(dtype))
    check_float(x)
    return jax.nn.softmax(-x, _dims(x, axis))


@method("softmax")
def _tensor_softmax(self: Any, axis: Axis, dtype: Any = None) -> Any:
    """Return exp(self) / Σ exp(self), the sum taken along `axis`.

    Args:
        axis: The axis (or axes) along which the result adds up to 1.
        dtype: The dtype to which the Tensor is cast first; None keeps its own.

    Raises:
        TypeError: If the Tensor holds integers or booleans.
        ValueError: If `axis` is not an axis of the Tensor.

    Examples:
        >>> Tensor([1.0, 1.0]).softmax(0).asnumpy()
        array([0.5, 0.5], dtype=float32)
    """
    return softmax(self, axis, dtype=dtype)


@primitive("LogSoftmaxExt()")
def _log_softmax_ext(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """Return log_softmax(input) along `dim`; None chooses axis 0 for ranks 0, 1 and 3, axis 1 otherwise."""
    axis = (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim
    return log_softmax(input if dtype is None else input.astype(dtype), axis)


def _halves(x: Array, axis: int) -> tuple[Array, Array]:
    _dims(x, axis)
    if x.ndim == 0 or x.shape[axis] % 2:
        raise ValueError(f"the size of x along axis {axis} must be even, got shape {list(x.shape)}.")
    half = x.shape[axis] // 2
    return lax.slice_in_dim(x, 0, half, axis=axis), lax.slice_in_dim(x, half, None, axis=axis)


@op(
    ref="torch.nn.functional.glu",
    cases=("T(2, 4)", "T(4, 3), 0", "T(6)"),
    errors=(("T(2, 3)", "must be even"),),
    primitive="GLU(axis=-1)",
)
def glu(x: Array, axis: int = -1) -> Array:
    """Return a · sigmoid(b), with a and b the halves of x along `axis`.

    From Dauphin et al. (2017), Language Modeling with Gated Convolutional Networks.

    Args:
        x: A Tensor of floats.
        axis: The axis to halve; its size is even.

    Raises:
        ValueError: If the axis is out of range, or its size odd.

    Examples:
        >>> ops.glu(Tensor([3.0, 5.0, 0.0, 0.0])).asnumpy()
        array([1.5, 2.5], dtype=float32)
    """
    a, b = _halves(x, axis)
    return a * jax.nn.sigmoid(b)


@op(
    ref="sporax._src.testing.nn_references.swiglu",
    cases=("T(2, 4)", "T(4, 3), 0"),
    errors=(("T(2, 3)", "must be even"),),
)
def swiglu(input: Array, dim: int = -1) -> Array:
    """Return silu(a) · b, with a and b the halves of input along `dim`.

    From Shazeer (2020), GLU Variants Improve Transformer.

    Args:
        input: A Tensor of floats.
        dim: The axis to halve; its size is even.

    Raises:
        ValueError: If the axis is out of range, or its size odd.

    Examples:
        >>> ops.swiglu(Tensor([0.0, 20.0, 1.0, 2.0])).asnumpy()
        array([ 0., 40.], dtype=float32)
    """
    a, b = _halves(input, dim)
    return jax.nn.silu(a) * b
