"""Discrete Fourier transforms of complex, real and Hermitian operands over one axis, and their frequencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops.creation import arange
from sporax._src.ops.table import composite, op

_NORMS = (None, "backward", "forward", "ortho")


def _operand(input: Array, real: bool = False) -> Array:
    """Return the operand in a dtype that has a transform: float32 for integers and half precision."""
    if jnp.iscomplexobj(input):
        if real:
            raise TypeError(f"input must be real, got {input.dtype}.")
        return input
    return input if input.dtype in (jnp.float32, jnp.float64) else input.astype(jnp.float32)


def _axes(ndim: int, s: Any, dim: Any) -> tuple[int, ...]:
    if dim is None:
        dim = range(-len(s), 0) if s is not None else range(ndim)
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    for d in dims:
        if not -ndim <= d < ndim:
            raise ValueError(f"dim must be in [{-ndim}, {ndim}), got {d}.")
    dims = tuple([d % ndim for d in dims])
    if len(set(dims)) < len(dims):
        raise ValueError(f"dim must not repeat an axis, got {dim}.")
    if s is not None and len(s) != len(dims):
        raise ValueError(f"s and dim must have one length, got {s} and {dim}.")
    return dims


def _several(one: Callable[..., Array], x: Array, s: Any, dims: tuple[int, ...], norm: str | None) -> Array:
    """Transform one axis after another."""
    for i, d in enumerate(dims):
        x = one(x, None if s is None or s[i] == -1 else s[i], d, norm)
    return x


def _check(n: Any, norm: Any) -> None:
    if norm not in _NORMS:
        raise ValueError(f"norm must be 'backward', 'forward' or 'ortho', got {norm!r}.")
    if n is not None and n < 1:
        raise ValueError(f"n must be positive, got {n}.")


def _one(x: Array, n: Any, dim: int, norm: Any, transform: Callable[..., Array], real: bool = False) -> Array:
    _check(n, norm)
    return transform(_operand(x, real), n, _axes(x.ndim, None, dim)[0], norm)


def _nd(x: Array, s: Any, dim: Any, norm: Any, outer: Callable[..., Array], last: Callable[..., Array]) -> Array:
    """Transform the last of the axes with `last` before or after the others with `outer`, whichever stays real."""
    _check(None, norm)
    dims = _axes(x.ndim, s, dim)
    if not dims:
        raise ValueError("dim must name at least one axis, got none.")
    real_in = last in (jnp.fft.rfft, jnp.fft.ihfft)
    x = _operand(x, real_in)
    inner = None if s is None else s[:-1]
    size = None if s is None or s[-1] == -1 else s[-1]
    if real_in:
        return _several(outer, last(x, size, dims[-1], norm), inner, dims[:-1], norm)
    return last(_several(outer, x, inner, dims[:-1], norm), size, dims[-1], norm)


# --- one axis -------------------------------------------------------------------------------------------------------


@op(
    ref="numpy.fft.fft",
    cases=("T(2, 4)", "C(3, 4), 6, 0", "T(4), 3, -1, 'ortho'"),
    errors=(("T(4), None, 1", "dim"), ("T(4), 0", "n must")),
    method="fft",
)
def fft(input: Array, n: Static = None, dim: Static = -1, norm: Static = None) -> Array:
    """Return the Fourier transform Xₖ = Σⱼ xⱼ·exp(-2πi·jk / n) along an axis, cut or padded with zeros to n elements.

    Args:
        input: A Tensor of numbers; integers become float32.
        n: The number of elements to transform; None: the size of the axis.
        dim: The axis.
        norm: The factor: None or "backward": 1, "ortho": 1/√n, "forward": 1/n. An inverse has what makes both together
            1.

    Returns:
        A complex Tensor.

    Raises:
        ValueError: If `n` is not positive, `norm` another, or the axis out of range.

    Examples:
        >>> ops.fft(Tensor([1.0, 2.0, 3.0, 4.0])).asnumpy()
        array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j], dtype=complex64)
    """
    return _one(input, n, dim, norm, jnp.fft.fft)


@op(ref="numpy.fft.ifft", cases=("T(2, 4)", "C(3, 4), 6, 0"), errors=(("T(4), None, 1", "dim"),), method="ifft")
def ifft(input: Array, n: Static = None, dim: Static = -1, norm: Static = None) -> Array:
    """Return the inverse of `fft`: xⱼ = Σₖ Xₖ·exp(2πi·jk / n) / n along an axis.

    Args:
        input: A Tensor of numbers; integers become float32.
        n, dim, norm: As in `fft`.

    Returns:
        A complex Tensor.

    Raises:
        ValueError: If `n` is not positive, `norm` another, or the axis out of range.

    Examples:
        >>> ops.ifft(Tensor([4.0, 0.0, 0.0, 0.0])).asnumpy()
        array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _one(input, n, dim, norm, jnp.fft.ifft)


@op(ref="numpy.fft.rfft", cases=("T(2, 4)", "T(3, 4), 6, 0"), errors=(("C(4)", "real"),), method="rfft")
def rfft(input: Array, n: Static = None, dim: Static = -1, norm: Static = None) -> Array:
    """Return the non-negative half, n // 2 + 1 elements, of the transform of a real operand.

    Args:
        input: A Tensor of real numbers; integers become float32.
        n, dim, norm: As in `fft`.

    Returns:
        A complex Tensor.

    Raises:
        TypeError: If `input` is complex.
        ValueError: If `n` is not positive, `norm` another, or the axis out of range.

    Examples:
        >>> ops.rfft(Tensor([1.0, 2.0, 3.0, 4.0])).asnumpy()
        array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    """
    return _one(input, n, dim, norm, jnp.fft.rfft, real=True)


@op(ref="numpy.fft.irfft", cases=("C(2, 4)", "C(3, 4), 5, 0"), errors=(("C(4), None, 1", "dim"),), method="irfft")
def irfft(input: Array, n: Static = None, dim: Static = -1, norm: Static = None) -> Array:
    """Return the inverse of `rfft`: n real elements, by default 2·(size - 1).

    Args:
        input: A Tensor of numbers: half a spectrum.
        n: The size of the result along the axis.
        dim, norm: As in `fft`.

    Returns:
        A real Tensor.

    Raises:
        ValueError: If `n` is not positive, `norm` another, or the axis out of range.

    Examples:
        >>> ops.irfft(Tensor([4 + 0j, 0, 0])).asnumpy()
        array([1., 1., 1., 1.])
    """
    return _one(input, n, dim, norm, jnp.fft.irfft)


@op(ref="numpy.fft.hfft", cases=("C(2, 4)", "T(3, 4), 5, 0"), errors=(("C(4), None, 1", "dim"),), method="hfft")
def hfft(input: Array, n: Static = None, dim: Static = -1, norm: Static = None) -> Array:
    """Return the real transform of an operand whose other half is its conjugate mirror image.

    Args:
        input: A Tensor of numbers: half a signal.
        n: The size of the result along the axis; None: 2·(size - 1).
        dim, norm: As in `fft`.

    Returns:
        A real Tensor.

    Raises:
        ValueError: If `n` is not positive, `norm` another, or the axis out of range.

    Examples:
        >>> ops.hfft(Tensor([1.0, 2.0, 3.0])).asnumpy()
        array([ 8., -2.,  0., -2.], dtype=float32)
    """
    return _one(input, n, dim, norm, jnp.fft.hfft)


@op(ref="numpy.fft.ihfft", cases=("T(2, 4)", "T(3, 4), 6, 0"), errors=(("C(4)", "real"),), method="ihfft")
def ihfft(input: Array, n: Static = None, dim: Static = -1, norm: Static = None) -> Array:
    """Return the inverse of `hfft`: the half spectrum of a real operand, n // 2 + 1 elements.

    Args:
        input: A Tensor of real numbers; integers become float32.
        n, dim, norm: As in `fft`.

    Returns:
        A complex Tensor.

    Raises:
        TypeError: If `input` is complex.
        ValueError: If `n` is not positive, `norm` another, or the axis out of range.

    Examples:
        >>> ops.ihfft(Tensor([8.0, 0.0, 0.0, 0.0])).shape
        (3,)
    """
    return _one(input, n, dim, norm, jnp.fft.ihfft, real=True)


# --- frequencies ----------------------------------------------------------------------------------------------------


@op(ref="torch.fft.fftshift", cases=("T(2, 5)", "I(4), 0"), errors=(("T(4), 1", "dim"),), method="fftshift")
def fftshift(input: Array, dim: Static = None) -> Array:
    """Return the transform with the zero frequency moved to the middle of the axes (default: all).

    Args:
        input: A Tensor.
        dim: The axis, or axes.

    Raises:
        ValueError: If an axis is out of range or twice there.

    Examples:
        >>> ops.fftshift(Tensor([0, 1, 2, -2, -1])).asnumpy()
        array([-2, -1,  0,  1,  2])
    """
    return jnp.fft.fftshift(input, _axes(input.ndim, None, dim))


@op(ref="torch.fft.ifftshift", cases=("T(2, 5)", "I(4), 0"), errors=(("T(4), 1", "dim"),), method="ifftshift")
def ifftshift(input: Array, dim: Static = None) -> Array:
    """Return the inverse of `fftshift`.

    Args:
        input: A Tensor.
        dim: The axis, or axes; None: all.

    Raises:
        ValueError: If an axis is out of range or twice there.

    Examples:
        >>> ops.ifftshift(Tensor([-2, -1, 0, 1, 2])).asnumpy()
        array([ 0,  1,  2, -2, -1])
    """
    return jnp.fft.ifftshift(input, _axes(input.ndim, None, dim))


@composite(
    ref="torch.fft.fftfreq",
    cases=("5", "4, 0.5"),
    errors=(("-99", "steps of 1 do not lead from 50 to -49."),),
    grad=0,
)
def fftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Tensor:
    """Return the frequencies (0, 1, ..., -2, -1) / (n·d) of the n elements of a transform with spacing d.

    Args:
        n: The number of elements.
        d: The distance of samples; the frequencies have its inverse as their unit.
        dtype: The dtype; float32 if None.

    Examples:
        >>> ops.fftfreq(4).asnumpy()
        array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
    """
    k = ifftshift(arange(-(n // 2), n - n // 2))
    return (k.astype(mstype.float32) / (n * d)).astype(dtype or mstype.float32)


@composite(
    ref="torch.fft.rfftfreq",
    cases=("5", "4, 0.5"),
    errors=(("-99", "steps of 1 do not lead from 0 to -49."),),
    grad=0,
)
def rfftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Tensor:
    """Return the non-negative frequencies (0, 1, ..., n // 2) / (n·d) of `rfft`.

    Args:
        n: The number of elements of the signal.
        d: The distance of samples; the frequencies have its inverse as their unit.
        dtype: The dtype; float32 if None.

    Examples:
        >>> ops.rfftfreq(4).asnumpy()
        array([0.  , 0.25, 0.5 ], dtype=float32)
    """
    return (arange(n // 2 + 1).astype(mstype.float32) / (n * d)).astype(dtype or mstype.float32)
