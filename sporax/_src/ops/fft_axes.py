"""Fourier transforms over several axes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.core.tensor import Tensor
from sporax._src.ops.fft import _axes, _check, _nd, _operand, _several
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, internal, op

# --- several axes ---------------------------------------------------------------------------------------------------


@op(
    ref="torch.fft.fftn",
    cases=("T(2, 3, 4)", "C(3, 4), (2,), (0,)"),
    errors=(("T(4), None, (1,)", "dim"),),
    method="fftn",
)
def fftn(input: Array, s: Static = None, dim: Static = None, norm: Static = None) -> Array:
    """Return the Fourier transform over several axes (default: all), each cut or padded to its size in `s`.

    Args:
        input: A Tensor of numbers; integers become float32.
        s: The sizes along the axes, -1 for what they are; None: all as they are.
        dim: The axes; None: all, or the last ones if `s` is given.
        norm: As in `fft`.

    Returns:
        A complex Tensor.

    Raises:
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.fftn(Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
        array([[10.+0.j, -2.+0.j],
               [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    _check(None, norm)
    return _several(jnp.fft.fft, _operand(input), s, _axes(input.ndim, s, dim), norm)


@op(
    ref="torch.fft.ifftn",
    cases=("T(2, 3, 4)", "C(3, 4), (2,), (0,)"),
    errors=(("T(4), None, (1,)", "dim"),),
    method="ifftn",
)
def ifftn(input: Array, s: Static = None, dim: Static = None, norm: Static = None) -> Array:
    """Return the inverse of `fftn`.

    Args:
        input: A Tensor of numbers; integers become float32.
        s, dim, norm: As in `fftn`.

    Returns:
        A complex Tensor.

    Raises:
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.ifftn(Tensor([[4.0, 0.0], [0.0, 0.0]])).asnumpy()
        array([[1.+0.j, 1.+0.j],
               [1.+0.j, 1.+0.j]], dtype=complex64)
    """
    _check(None, norm)
    return _several(jnp.fft.ifft, _operand(input), s, _axes(input.ndim, s, dim), norm)


@op(ref="torch.fft.rfftn", cases=("T(2, 3, 4)", "T(3, 4), (2, 5)"), errors=(("C(4)", "real"),), method="rfftn")
def rfftn(input: Array, s: Static = None, dim: Static = None, norm: Static = None) -> Array:
    """Return `rfft` over the last of the axes and `fft` over the others.

    Args:
        input: A Tensor of real numbers; integers become float32.
        s, dim, norm: As in `fftn`.

    Returns:
        A complex Tensor; its last axis has half the elements, n // 2 + 1.

    Raises:
        TypeError: If `input` is complex.
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.rfftn(ops.ones((4, 6))).shape
        (4, 4)
    """
    return _nd(input, s, dim, norm, jnp.fft.fft, jnp.fft.rfft)


@op(
    ref="torch.fft.irfftn",
    cases=("C(2, 3, 4)", "C(3, 4), (2, 5)"),
    errors=(("C(4), None, (1,)", "dim"),),
    method="irfftn",
)
def irfftn(input: Array, s: Static = None, dim: Static = None, norm: Static = None) -> Array:
    """Return the inverse of `rfftn`.

    Args:
        input: A Tensor of numbers.
        s: The sizes of the result; None: the last is 2·(size - 1), the others stay.
        dim, norm: As in `fftn`.

    Returns:
        A real Tensor.

    Raises:
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.irfftn(ops.ones((4, 4)), (4, 6)).shape
        (4, 6)
    """
    return _nd(input, s, dim, norm, jnp.fft.ifft, jnp.fft.irfft)


@op(
    ref="torch.fft.hfftn",
    cases=("C(2, 3, 4)", "T(3, 4), (2, 5)"),
    errors=(("C(4), None, (1,)", "dim"),),
    method="hfftn",
)
def hfftn(input: Array, s: Static = None, dim: Static = None, norm: Static = None) -> Array:
    """Return `hfft` over the last of the axes after `fft` over the others.

    Args:
        input: A Tensor of numbers.
        s: The sizes of the result; None: the last is 2·(size - 1), the others stay.
        dim, norm: As in `fftn`.

    Returns:
        A real Tensor.

    Raises:
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.hfftn(ops.ones((4, 4))).shape
        (4, 6)
    """
    return _nd(input, s, dim, norm, jnp.fft.fft, jnp.fft.hfft)


@op(ref="torch.fft.ihfftn", cases=("T(2, 3, 4)", "T(3, 4), (2, 5)"), errors=(("C(4)", "real"),), method="ihfftn")
def ihfftn(input: Array, s: Static = None, dim: Static = None, norm: Static = None) -> Array:
    """Return the inverse of `hfftn`.

    Args:
        input: A Tensor of real numbers; integers become float32.
        s, dim, norm: As in `fftn`.

    Returns:
        A complex Tensor; its last axis has half the elements, n // 2 + 1.

    Raises:
        TypeError: If `input` is complex.
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.ihfftn(ops.ones((4, 6))).shape
        (4, 4)
    """
    return _nd(input, s, dim, norm, jnp.fft.ifft, jnp.fft.ihfft)


@composite(ref="torch.fft.fft2", cases=("T(2, 3, 4)",), errors=(("T(4)", "dim"),), method="fft2")
def fft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return `fftn` over two axes, by default the last ones.

    Args:
        input, s, norm: As in `fftn`.
        dim: Two axes.

    Returns:
        A complex Tensor.

    Raises:
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.fft2(Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
        array([[10.+0.j, -2.+0.j],
               [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    return fftn(input, s, dim, norm)


@composite(ref="torch.fft.ifft2", cases=("T(2, 3, 4)",), errors=(("T(4)", "dim"),), method="ifft2")
def ifft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return `ifftn` over two axes, by default the last ones.

    Args:
        input, s, norm: As in `ifftn`.
        dim: Two axes.

    Returns:
        A complex Tensor.

    Raises:
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.ifft2(Tensor([[4.0, 0.0], [0.0, 0.0]])).asnumpy()
        array([[1.+0.j, 1.+0.j],
               [1.+0.j, 1.+0.j]], dtype=complex64)
    """
    return ifftn(input, s, dim, norm)


@composite(ref="torch.fft.rfft2", cases=("T(2, 3, 4)",), errors=(("T(4)", "dim"),), method="rfft2")
def rfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return `rfftn` over two axes, by default the last ones.

    Args:
        input, s, norm: As in `rfftn`.
        dim: Two axes.

    Returns:
        A complex Tensor; its last axis has half the elements, n // 2 + 1.

    Raises:
        TypeError: If `input` is complex.
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.rfft2(ops.ones((4, 6))).shape
        (4, 4)
    """
    return rfftn(input, s, dim, norm)


@composite(ref="torch.fft.irfft2", cases=("C(2, 3, 4)",), errors=(("C(4)", "dim"),), method="irfft2")
def irfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return `irfftn` over two axes, by default the last ones.

    Args:
        input, s, norm: As in `irfftn`.
        dim: Two axes.

    Returns:
        A real Tensor.

    Raises:
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.irfft2(ops.ones((4, 4))).shape
        (4, 6)
    """
    return irfftn(input, s, dim, norm)


@composite(ref="torch.fft.hfft2", cases=("C(2, 3, 4)",), errors=(("C(4)", "dim"),), method="hfft2")
def hfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return `hfftn` over two axes, by default the last ones.

    Args:
        input, s, norm: As in `hfftn`.
        dim: Two axes.

    Returns:
        A real Tensor.

    Raises:
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.hfft2(ops.ones((4, 4))).shape
        (4, 6)
    """
    return hfftn(input, s, dim, norm)


@composite(ref="torch.fft.ihfft2", cases=("T(2, 3, 4)",), errors=(("T(4)", "dim"),), method="ihfft2")
def ihfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """Return `ihfftn` over two axes, by default the last ones.

    Args:
        input, s, norm: As in `ihfftn`.
        dim: Two axes.

    Returns:
        A complex Tensor; its last axis has half the elements, n // 2 + 1.

    Raises:
        TypeError: If `input` is complex.
        ValueError: If `norm` is another, an axis out of range or twice there, or `s` has another length.

    Examples:
        >>> ops.ihfft2(ops.ones((4, 6))).shape
        (4, 4)
    """
    return ihfftn(input, s, dim, norm)


# --- as a Primitive ---------------------------------------------------------------------------------------------------


@internal("FFTWithSize")
def _with_size(
    x: Array, axes: Static, inverse: Static, real: Static, norm: Static, onesided: Static, size: Static
) -> Array:
    """Return a transform over the last `axes` axes."""
    dims = tuple(range(-axes, 0))
    if not real:
        return (ifftn if inverse else fftn).raw(x, None, dims, norm)
    if not inverse:
        return rfftn.raw(x, None, dims, norm) if onesided else fftn.raw(x, None, dims, norm)
    if not onesided:
        return jnp.real(ifftn.raw(x, None, dims, norm))
    if x.shape[-1] == 1 and not size:
        raise ValueError("the last axis must have more than 1 element, or signal_sizes be given.")
    return irfftn.raw(x, size or None, dims, norm)


@primitive("FFTWithSize(signal_ndim, inverse, real, norm='backward', onesided=True, signal_sizes=())")
def _fft_with_size(
    x: Tensor, signal_ndim: int, inverse: bool, real: bool, norm: str, onesided: bool, signal_sizes: Any
) -> Tensor:
    """Return the Fourier transform over the last `signal_ndim` axes, or its inverse; of complex or real operands."""
    return _with_size(x, signal_ndim, inverse, real, norm, onesided, signal_sizes)
