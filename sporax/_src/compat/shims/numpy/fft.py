"""The functions of `mindspore.numpy.fft`: the transforms of `sporax.ops` with NumPy's names of their arguments.

A repository of the census calls `rfft`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sporax import Tensor, ops
from sporax.ops import fftfreq, rfftfreq

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def _along_axis(transform: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
        return transform(a, n, axis, norm)

    call.__name__, call.__doc__ = transform.__name__, transform.__doc__
    return call


def _over_axes(transform: Callable[..., Any], default: tuple[int, ...] | None) -> Callable[..., Any]:
    def call(a: Tensor, s: object = None, axes: object = default, norm: str | None = None) -> Tensor:
        return transform(a, s, axes, norm)

    call.__name__, call.__doc__ = transform.__name__, transform.__doc__
    return call


fft, ifft, rfft, irfft, hfft, ihfft = map(_along_axis, (ops.fft, ops.ifft, ops.rfft, ops.irfft, ops.hfft, ops.ihfft))


fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = (
    _over_axes(f, (-2, -1)) for f in (ops.fft2, ops.ifft2, ops.rfft2, ops.irfft2, ops.hfft2, ops.ihfft2)
)


fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = (
    _over_axes(f, None) for f in (ops.fftn, ops.ifftn, ops.rfftn, ops.irfftn, ops.hfftn, ops.ihfftn)
)


def fftshift(x: Tensor, axes: int | Sequence[int] | None = None) -> Tensor:
    """Return a transform with the zero frequency in the middle of the axes (default: all)."""
    return ops.fftshift(x, axes)


def ifftshift(x: Tensor, axes: int | Sequence[int] | None = None) -> Tensor:
    """Return what `fftshift` gave, with the zero frequency first again."""
    return ops.ifftshift(x, axes)
