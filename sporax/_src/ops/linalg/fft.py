"""Discrete Fourier transforms of complex, real and Hermitian operands over one axis or several, and their frequencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import composite, internal, op
from sporax._src.ops.array.creation import arange

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


def _check(n: Any, norm: object) -> None:
    if norm not in _NORMS:
        raise ValueError(f"norm must be 'backward', 'forward' or 'ortho', got {norm!r}.")
    if n is not None and n < 1:
        raise ValueError(f"n must be positive, got {n}.")


def _one(x: Array, n: object, dim: int, norm: object, transform: Callable[..., Array], real: bool = False) -> Array:
    _check(n, norm)
    return transform(_operand(x, real), n, _axes(x.ndim, None, dim)[0], norm)


def _nd(x: Array, s: Any, dim: object, norm: Any, outer: Callable[..., Array], last: Callable[..., Array]) -> Array:
    """Transform the last axis with `last` and the others with `outer`; the last one first if the input is real."""
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
def fftfreq(n: int, d: float = 1.0, dtype: mstype.TypeLike | None = None) -> Tensor:
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
def rfftfreq(n: int, d: float = 1.0, dtype: mstype.TypeLike | None = None) -> Tensor:
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
def fft2(input: Tensor, s: object = None, dim: object = (-2, -1), norm: str | None = None) -> Tensor:
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
def ifft2(input: Tensor, s: object = None, dim: object = (-2, -1), norm: str | None = None) -> Tensor:
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
def rfft2(input: Tensor, s: object = None, dim: object = (-2, -1), norm: str | None = None) -> Tensor:
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
def irfft2(input: Tensor, s: object = None, dim: object = (-2, -1), norm: str | None = None) -> Tensor:
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
def hfft2(input: Tensor, s: object = None, dim: object = (-2, -1), norm: str | None = None) -> Tensor:
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
def ihfft2(input: Tensor, s: object = None, dim: object = (-2, -1), norm: str | None = None) -> Tensor:
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
        raise ValueError(
            "For 'FFTWithSize', the last dimension of the input cannot be 1 where no signal_sizes are given."
        )
    return irfftn.raw(x, size or None, dims, norm)


primitives(
    """\
FFTWithSize(signal_ndim: int, inverse: bool, real: bool, norm: str = 'backward', onesided: bool = True, signal_sizes=())(x) -> \
_with_size(x, signal_ndim, inverse, real, norm, onesided, signal_sizes)
    Return the Fourier transform over the last `signal_ndim` axes, or its inverse; of complex or real operands.
""",
    globals(),
)
