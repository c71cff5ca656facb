"""Parts of images and volumes: glimpses, patches, resampling to a scale and position, random boxes, dilation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Key, Static
from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_choice, check_rank, ntuple
from sporax._src.engine.table import internal, op
from sporax._src.ops.nn.convolution import same_pads, unfold_windows
from sporax._src.ops.nn.sliding_window import lowest

_REF = "references.vision."


# --- windows ---------------------------------------------------------------------------------------------------------


def _geometry(
    sizes: Any, kernel: Any, stride: Any, dilation: Any, mode: str
) -> tuple[list[tuple[int, int]], list[int]]:
    """Return paddings and the numbers of windows."""
    pads = same_pads(sizes, kernel, stride, dilation) if mode == "same" else [(0, 0)] * len(sizes)
    rows = zip(sizes, kernel, stride, dilation, pads, strict=True)
    counts = [(size + a + b - d * (k - 1) - 1) // s + 1 for size, k, s, d, (a, b) in rows]
    if min(counts) < 1:
        raise ValueError(f"a window of {list(kernel)} elements does not fit axes of {list(sizes)}.")
    return pads, counts


@op(
    ref=_REF + "dilation2d",
    cases=(
        "T(2, 3, 7, 8), T(3, 2, 3), 2, 1, 'valid'",
        "T(2, 3, 7, 8), T(3, 2, 3), (1, 2), (2, 1)",
        "I(1, 1, 5, 5), I(1, 2, 2), (1, 1, 2, 2), 1, 'valid'",
    ),
    errors=(
        ("T(2, 3, 7, 8), T(2, 3, 3), 1, 1", "filter"),
        ("T(2, 3, 7, 8), T(3, 3, 3), 1, 1, 'full'", "pad_mode"),
        ("T(2, 3, 7, 8), T(3, 3, 3), 0, 1", "stride"),
        ("T(2, 3, 2, 2), T(3, 3, 3), 1, 1, 'valid'", "does not fit"),
    ),
    name="_dilation2d",
    primitive="Dilation2D(stride, dilation, pad_mode='SAME', data_format='NCHW')",
)
def dilation2d(
    x: Array, filter: Array, stride: Static, dilation: Static, pad_mode: str = "SAME", data_format: str = "NCHW"
) -> Array:
    """Return maxₘ,ₙ x(s·h + d·m, s·w + d·n) + filter(m, n) for each channel, over the pixels inside of the image.

    Args:
        x: A Tensor (N, C, H, W).
        filter: A Tensor (C, rows, columns).
        stride, dilation: The steps of the window and of its elements, an integer, two, or four (1, 1, ...).
        pad_mode: "same" or "valid".
        data_format: "NCHW".

    Raises:
        ValueError: If an option is another, or shapes do not fit.

    Examples:
        >>> ops.Dilation2D(1, 1, "VALID")(Tensor([[[[1.0, 5.0], [3.0, 2.0]]]]), ops.zeros((1, 2, 2))).asnumpy()
        array([[[[5.]]]], dtype=float32)
    """
    check_rank(x, (4,), "x")
    mode = check_choice(pad_mode, ("same", "valid"), "pad_mode")
    if data_format != "NCHW" or filter.ndim != 3 or filter.shape[0] != x.shape[1]:
        raise ValueError(
            f"filter must have shape [{x.shape[1]}, rows, columns] of data_format NCHW, got {list(filter.shape)}."
        )
    kernel, steps, rates = filter.shape[1:], ntuple(stride, 2, "stride"), ntuple(dilation, 2, "dilation")
    pads, counts = _geometry(x.shape[2:], kernel, steps, rates, mode)
    windows = unfold_windows(x, kernel, steps, pads, rates, counts)
    inside = unfold_windows(jnp.ones((1, 1, *x.shape[2:]), bool), kernel, steps, pads, rates, counts)
    raised = windows + filter.reshape(1, x.shape[1], -1, 1, 1)
    return jnp.max(jnp.where(inside, raised, lowest(x.dtype)), 2)


@op(
    ref=_REF + "volume_patches",
    cases=(
        "T(1, 2, 4, 5, 5), (1, 1, 2, 2, 2), (1, 1, 1, 2, 1), 'VALID'",
        "T(1, 2, 4, 5, 5), 2, 2, 'SAME'",
    ),
    errors=(("T(2, 4, 5, 5), 2, 2, 'SAME'", "axes"), ("T(1, 2, 4, 5, 5), 2, 2, 'FULL'", "padding")),
    name="_volume_patches",
    primitive="ExtractVolumePatches(kernel_size, strides, padding)",
)
def volume_patches(x: Array, kernel_size: Static, strides: Static, padding: str) -> Array:
    """Return the patches of volumes (N, C, D, H, W), the values of each along axis 1, channels fastest.

    Args:
        x: A Tensor (N, C, D, H, W).
        kernel_size: The sizes of a patch, an integer, three, or five (1, 1, ...).
        strides: The distances of patches, likewise.
        padding: "SAME" or "VALID".

    Returns:
        A Tensor (N, C · elements of a patch, D', H', W').

    Raises:
        ValueError: If `padding` is another, or a size does not fit.

    Examples:
        >>> ops.ExtractVolumePatches(2, 2, "VALID")(ops.ones((1, 3, 4, 4, 4))).shape
        (1, 24, 2, 2, 2)
    """
    check_rank(x, (5,), "x")
    mode = check_choice(padding, ("same", "valid"), "padding")
    kernel, steps = ntuple(kernel_size, 3, "kernel_size"), ntuple(strides, 3, "strides")
    pads, counts = _geometry(x.shape[2:], kernel, steps, (1, 1, 1), mode)
    windows = unfold_windows(x, kernel, steps, pads, (1, 1, 1), counts)
    return jnp.swapaxes(windows, 1, 2).reshape(x.shape[0], windows.shape[1] * windows.shape[2], *counts)


# --- glimpses --------------------------------------------------------------------------------------------------------

_NOISES = ("uniform", "gaussian", "zero")


@op(
    ref=_REF + "glimpse",
    cases=(
        "T(2, 6, 8, 3), D([[0.1, -0.2], [0.3, 0.0]]), (3, 4), True, True",
        "T(2, 6, 8, 3), D([[1, 2], [3, -4.0]]), (4, 5), False, False",
        "T(2, 6, 8, 3), D([[0.9, -0.7], [-0.3, 0.4]]), (5, 6), False, True",
        "T(2, 6, 8, 3), D([[1, 2], [3, -4.0]]), (4, 5), True, False",
    ),
    errors=(
        ("T(6, 8, 3), T(2, 2), (3, 4), True, True", "axes"),
        ("T(2, 6, 8, 3), T(3, 2), (3, 4), True, True", "offsets"),
    ),
    name="_glimpse",
    grad=0,
)
def glimpse(x: Array, offsets: Array, size: Static, centered: bool, normalized: bool) -> Array:
    """Return windows of images (N, H, W, C), 0 outside of them; see `ops.ExtractGlimpse`."""
    at, inside = _glimpse_indices(x, offsets, size, centered, normalized)
    rows = jnp.arange(x.shape[0])[:, None, None]
    return jnp.where(inside[..., None], x[rows, at[0][:, :, None], at[1][:, None]], 0)


def _glimpse_indices(
    x: Array, offsets: Array, size: Any, centered: bool, normalized: bool
) -> tuple[tuple[Array, Array], Array]:
    check_rank(x, (4,), "x")
    if offsets.shape != (x.shape[0], 2):
        raise ValueError(f"offsets must have shape [{x.shape[0]}, 2], got {list(offsets.shape)}.")
    indices, insides = [], []
    for axis, (have, want) in enumerate(zip(x.shape[1:3], size, strict=True)):
        middle = offsets[:, axis] * have if normalized else offsets[:, axis]
        middle = middle / 2 + have / 2 if centered else middle
        first = jnp.trunc(middle - want / 2).astype(jnp.int32)
        index = first[:, None] + jnp.arange(want, dtype=jnp.int32)
        indices.append(jnp.clip(index, 0, have - 1))
        insides.append((index >= 0) & (index < have))
    return (indices[0], indices[1]), insides[0][:, :, None] & insides[1][:, None]


@internal("ExtractGlimpse")
def _noisy(key: Key, x: Array, offsets: Array, size: Static, centered: bool, normalized: bool, noise: str) -> Array:
    inside = _glimpse_indices(x, offsets, size, centered, normalized)[1]
    out = glimpse.raw(x, offsets, size, centered, normalized)
    draw = jax.random.uniform if noise == "uniform" else jax.random.normal
    return jnp.where(inside[..., None], out, draw(key, out.shape, out.dtype))


@primitive("ExtractGlimpse(centered=True, normalized=True, uniform_noise=True, noise='uniform')")
def _extract_glimpse(
    x: Tensor, size: Any, offsets: Tensor, centered: bool, normalized: bool, uniform_noise: bool, noise: str
) -> Tensor:
    """Return a window of each image (N, H, W, C), filled with noise outside of it.

    Args:
        x: Images.
        size: Rows and columns of the windows.
        offsets: The middle of each window (N, 2), in pixels, or if `normalized` in shares of the image; if `centered`, from
            the middle of the image in halves of it, so that -1 and 1 are its ends.
        uniform_noise: Whether the noise is uniform, if `noise` is.
        noise: "uniform" in [0, 1), "gaussian", or "zero".
    """
    if noise not in _NOISES:
        raise ValueError(f"ops.ExtractGlimpse: noise must be one of {', '.join(_NOISES)}, got {noise!r}.")
    size = tuple([int(s) for s in size])
    if noise == "zero":
        return glimpse(x, offsets, size, centered, normalized)
    return _noisy(x, offsets, size, centered, normalized, noise)


# --- resampling ------------------------------------------------------------------------------------------------------


def _lanczos(radius: float) -> Callable[[Array], Array]:
    def kernel(x: Array) -> Array:
        safe = jnp.where(x <= 1e-3, 1.0, x) * math.pi
        value = radius * jnp.sin(safe) * jnp.sin(safe / radius) / (safe * safe)
        return jnp.where(x > radius, 0, jnp.where(x <= 1e-3, 1, value))

    return kernel


def _cubic(near: tuple[float, ...], far: tuple[float, ...]) -> Callable[[Array], Array]:
    def poly(c: tuple[float, ...], x: Array) -> Array:
        return ((c[0] * x + c[1]) * x + c[2]) * x + c[3]

    return lambda x: jnp.where(x >= 2, 0, jnp.where(x >= 1, poly(far, x), poly(near, x)))


_KERNELS: dict[str, tuple[float, Callable[[Array], Array]]] = {
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, lambda x: jnp.where(x >= 1.5, 0, jnp.exp(-x * x / (2 * 0.5**2)))),
    "box": (1.0, lambda x: jnp.where(x < 0.5, 1, jnp.where(x == 0.5, 0.5, 0))),
    "triangle": (1.0, lambda x: jnp.where(x < 1, 1 - x, 0)),
    "keyscubic": (2.0, _cubic((1.5, -2.5, 0.0, 1.0), (-0.5, 2.5, -4.0, 2.0))),
    "mitchellcubic": (2.0, _cubic((7 / 6, -2.0, 0.0, 8 / 9), (-7 / 18, 2.0, -10 / 3, 16 / 9))),
}


def _weights(have: int, want: int, scale: Array, shift: Array, kernel: str, antialias: bool) -> Array:
    """Return how much each of `have` pixels counts for each of `want`."""
    radius, value = _KERNELS[kernel]
    inverse = 1 / scale
    spread = jnp.maximum(inverse, 1) if antialias else jnp.ones_like(inverse)
    at = (jnp.arange(want).astype(scale.dtype) + 0.5) * inverse - inverse * shift
    centres = jnp.arange(have).astype(scale.dtype) + 0.5
    distance = jnp.abs(centres - at[:, None])
    weight = jnp.where(distance <= radius * spread, value(distance / spread), 0)
    total = jnp.sum(weight, 1, keepdims=True)
    weight = weight / jnp.where(jnp.abs(total) < 1e-35, 1, total)
    return jnp.where(((at >= 0) & (at <= have))[:, None], weight, 0)


_SCALED = "T(2, 6, 7, 3), (3, 9), D([0.45, 1.3]), D([0.2, -0.35])"


@op(
    ref=_REF + "scale_and_translate",
    cases=(
        _SCALED,
        _SCALED + ", 'lanczos1', False",
        _SCALED + ", 'lanczos5'",
        _SCALED + ", 'gaussian'",
        _SCALED + ", 'box'",
        _SCALED + ", 'triangle'",
        _SCALED + ", 'keyscubic', False",
        _SCALED + ", 'mitchellcubic'",
    ),
    errors=(
        ("T(2, 6, 7, 3), (3, 9), P(2), T(2), 'sinc'", "kernel_type"),
        ("T(6, 7, 3), (3, 9), P(2), T(2)", "axes"),
        ("T(2, 6, 7, 3), (3, 0), P(2), T(2)", "size"),
    ),
    grad=0,
    tol=1e-4,
    name="_scale_and_translate",
    primitive="ScaleAndTranslate(kernel_type='lanczos3', antialias=True)",
)
def scale_and_translate(
    images: Array, size: Static, scale: Array, translation: Array, kernel_type: str = "lanczos3", antialias: bool = True
) -> Array:
    """Return images of a size that show others scaled and moved, in float32.

    Args:
        images: A Tensor (N, H, W, C).
        size: Rows and columns of the result.
        scale, translation: Two factors, and two numbers of the result's pixels.
        kernel_type: "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic" or "mitchellcubic".
        antialias: Whether the kernel grows where images shrink.

    Returns:
        A Tensor (N, *size, C).

    Raises:
        ValueError: If `images` does not have 4 axes, a size is not positive, or `kernel_type` is another.

    Examples:
        >>> images = ops.reshape(Tensor([1.0, 3.0]), (1, 1, 2, 1))
        >>> ops.ScaleAndTranslate("triangle")(images, (1, 1), Tensor([1.0, 0.5]), Tensor([0.0, 0.0])).asnumpy()
        array([[[[2.]]]], dtype=float32)
    """
    check_rank(images, (4,), "images")
    if kernel_type not in _KERNELS:
        raise ValueError(f"kernel_type must be one of {', '.join(_KERNELS)}, got {kernel_type!r}.")
    rows, cols = size
    if min(rows, cols) < 1:
        raise ValueError(f"size must be positive, got {size}.")
    x = images.astype(jnp.float32)
    up = _weights(x.shape[1], rows, scale[0], translation[0], kernel_type, antialias)
    side = _weights(x.shape[2], cols, scale[1], translation[1], kernel_type, antialias)
    return jnp.einsum("nhwc,rh,sw->nrsc", x, up.astype(x.dtype), side.astype(x.dtype))


@internal("image_gradients")
def image_gradients(images: Array) -> tuple[Array, Array]:
    """Return the differences (dy, dx) between each pixel and the next, zero at the end of each axis."""
    dy = jnp.diff(images, axis=2)
    dx = jnp.diff(images, axis=3)
    return jnp.pad(dy, ((0, 0), (0, 0), (0, 1), (0, 0))), jnp.pad(dx, ((0, 0), (0, 0), (0, 0), (0, 1)))


@internal("extract_image_patches")
def patches(x: Array, kernel: Static, stride: Static, rate: Static, padding: str) -> Array:
    """Return the patches of x (N, C, H, W), their values along axis 1: channels fastest, then columns, then rows."""
    spans = [(k - 1) * r + 1 for k, r in zip(kernel, rate, strict=True)]
    pads = same_pads(x.shape[2:], kernel, stride, rate) if padding == "same" else [(0, 0), (0, 0)]
    if padding == "valid" and any(span > size for span, size in zip(spans, x.shape[2:], strict=True)):
        raise ValueError(f"patches of {spans} pixels do not fit images of {list(x.shape[2:])}.")
    sizes = [(d + a + b - span) // s + 1 for d, (a, b), span, s in zip(x.shape[2:], pads, spans, stride, strict=True)]
    windows = unfold_windows(x, kernel, stride, pads, rate, sizes)
    return jnp.swapaxes(windows, 1, 2).reshape(x.shape[0], x.shape[1] * math.prod(kernel), *sizes)
