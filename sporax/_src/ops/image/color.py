"""Colours of images: hue, saturation and value."""

from __future__ import annotations

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.engine.table import op

_REF = "references.image."
_COLOURS = "U(1, 2, 2, 3)"


def _check(images: Array) -> None:
    if images.ndim < 1 or images.shape[-1] != 3:
        raise ValueError(f"images must have three colours in the last axis, got shape {list(images.shape)}.")


@op(
    ref=_REF + "rgb_to_hsv",
    cases=(_COLOURS,),
    errors=(("T(2, 4)", "three colours"),),
    name="_rgb_to_hsv",
    primitive="RGBToHSV()",
)
def rgb_to_hsv(images: Array) -> Array:
    """Return (hue, saturation, value) in [0, 1] of images (..., 3) of (red, green, blue) in [0, 1].

    Args:
        images: A Tensor of floats (..., 3).

    Raises:
        ValueError: If the last axis has another size.

    Examples:
        >>> ops.RGBToHSV()(Tensor([0.0, 0.5, 0.0])).asnumpy().round(4)
        array([0.3333, 1.    , 0.5   ], dtype=float32)
    """
    _check(images)
    r, g, b = images[..., 0], images[..., 1], images[..., 2]
    top, low = jnp.max(images, -1), jnp.min(images, -1)
    span = top - low
    safe = jnp.where(span > 0, span, 1)
    sixths = jnp.where(top == r, (g - b) / safe, jnp.where(top == g, (b - r) / safe + 2, (r - g) / safe + 4))
    hue = jnp.where(span > 0, jnp.mod(sixths / 6, 1), 0)
    saturation = jnp.where(top > 0, span / jnp.where(top > 0, top, 1), 0)
    return jnp.stack([hue, saturation, top], -1)


@op(
    ref=_REF + "hsv_to_rgb",
    cases=(_COLOURS,),
    errors=(("T(2, 4)", "three colours"),),
    name="_hsv_to_rgb",
    primitive="HSVToRGB()",
)
def hsv_to_rgb(x: Array) -> Array:
    """Return (red, green, blue) in [0, 1] of images (..., 3) of (hue, saturation, value) in [0, 1].

    Args:
        x: A Tensor of floats (..., 3).

    Raises:
        ValueError: If the last axis has another size.

    Examples:
        >>> ops.HSVToRGB()(Tensor([0.0, 1.0, 0.5])).asnumpy()
        array([0.5, 0. , 0. ], dtype=float32)
    """
    _check(x)
    hue, saturation, value = x[..., 0, None], x[..., 1, None], x[..., 2, None]
    sixths = hue * 6
    ramp = jnp.stack([jnp.abs(sixths - 3) - 1, 2 - jnp.abs(sixths - 2), 2 - jnp.abs(sixths - 4)], -1)[..., 0, :]
    return value * (1 - saturation * (1 - jnp.clip(ramp, 0, 1)))


@op(
    ref=_REF + "adjust_hue",
    cases=("U(1, 2, 3), 0.2", "U(2, 3), -0.3"),
    errors=(("T(2, 4), 0.1", "three colours"),),
    name="_adjust_hue",
    primitive="AdjustHue()",
)
def adjust_hue(image: Array, delta: Array) -> Array:
    """Return image (..., 3) with its hue turned by delta, in turns.

    Args:
        image: A Tensor of floats (..., 3) of (red, green, blue) in [0, 1].
        delta: A number or 0-d Tensor; 1 is a whole turn.

    Raises:
        ValueError: If the last axis has another size.

    Examples:
        >>> ops.AdjustHue()(Tensor([1.0, 0.0, 0.0]), 0.5).asnumpy()
        array([0., 1., 1.], dtype=float32)
    """
    hsv = rgb_to_hsv.raw(image)
    hue = jnp.mod(hsv[..., :1] + jnp.asarray(delta).astype(hsv.dtype), 1)
    return hsv_to_rgb.raw(jnp.concatenate([hue, hsv[..., 1:]], -1))


@op(
    ref=_REF + "adjust_saturation",
    cases=("U(1, 2, 3), 0.5", "U(2, 3), 1.7"),
    errors=(("T(2, 4), 0.1", "three colours"),),
    name="_adjust_saturation",
    primitive="AdjustSaturation()",
)
def adjust_saturation(image: Array, scale: Array) -> Array:
    """Return image (..., 3) with its saturation times scale, at most 1.

    Args:
        image: A Tensor of floats (..., 3) of (red, green, blue) in [0, 1].
        scale: A number or 0-d Tensor.

    Raises:
        ValueError: If the last axis has another size.

    Examples:
        >>> ops.AdjustSaturation()(Tensor([1.0, 0.0, 0.0]), 0.5).asnumpy()
        array([1. , 0.5, 0.5], dtype=float32)
    """
    hsv = rgb_to_hsv.raw(image)
    saturation = jnp.clip(hsv[..., 1:2] * jnp.asarray(scale).astype(hsv.dtype), 0, 1)
    return hsv_to_rgb.raw(jnp.concatenate([hsv[..., :1], saturation, hsv[..., 2:]], -1))
