"""The NumPy forms of the kernels in `opencv`: what runs where OpenCV is missing or does not know the element type.

They give OpenCV's pixels. Those that resize or warp stand in `resample` and `warp`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.data.vision import arguments
from sporax._src.data.vision.enums import Border, ConvertMode

# --- pixels that move ------------------------------------------------------------------------------------------------


def mirrored(image: np.ndarray) -> np.ndarray:
    """Return an array with left and right exchanged; by lines, which is faster than pixel by pixel."""
    channels = 1 if image.ndim == 2 else image.shape[2]
    positions = (np.arange(image.shape[1])[::-1, None] * channels + np.arange(channels)).ravel()
    return image.reshape(image.shape[0], image.shape[1] * channels)[:, positions].reshape(image.shape)


def padded(image: np.ndarray, sides: tuple[int, int, int, int], colours: tuple[int, ...], mode: Border) -> np.ndarray:
    """Return an array with (left, top, right, bottom) more pixels."""
    left, top, right, bottom = sides
    if mode is Border.CONSTANT:
        canvas = arguments.filled(image, image.shape[0] + top + bottom, image.shape[1] + left + right, colours)
        canvas[top : top + image.shape[0], left : left + image.shape[1]] = image
        return canvas
    widths = ((top, bottom), (left, right), (0, 0))[: image.ndim]
    return np.pad(image, widths, mode=mode.value)


def channels_first(image: np.ndarray) -> np.ndarray:
    """Return an array of (H, W, C) as (C, H, W)."""
    return np.ascontiguousarray(image.transpose(2, 0, 1))


# --- values that change by themselves --------------------------------------------------------------------------------


def looked_up(image: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return the elements of `table` at the values of a uint8 image."""
    return table[image]


def by_channel(image: np.ndarray, tables: np.ndarray, is_first: bool) -> np.ndarray:
    """Return the elements of one table for each channel at the values of a uint8 image; channels come first or last."""
    planes = [table[image[:, :, channel]] for channel, table in enumerate(tables)]
    return np.stack(planes, 0 if is_first else -1)


def scaled(image: np.ndarray, factor: float) -> np.ndarray:
    """Return ``factor · image`` in the dtype of `image`."""
    return fitting(image * np.float32(factor), image.dtype)


def negated(image: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return an image with the values of [low, high] turned into their negatives."""
    inside = (image >= low) & (image <= high)
    return np.where(inside, fitting(255.0 - image, image.dtype), image)


def shifted(image: np.ndarray, colour: np.ndarray) -> np.ndarray:
    """Return an image of (H, W, 3) with a colour added."""
    return fitting(image + colour.astype(np.float32), image.dtype)


def rescaled(image: np.ndarray, factor: np.float32, summand: np.float32) -> np.ndarray:
    """Return ``factor · image + summand`` as float32, rounded once."""
    values = image.astype(np.float64)
    values *= np.float64(factor)
    values += np.float64(summand)
    return values.astype(np.float32)


def halved(image: np.ndarray) -> np.ndarray:
    """Return an array as float16."""
    return image.astype(np.float16)


def fitting(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return numbers in `dtype`: rounded and held within its range if it is one of integers."""
    if dtype.kind not in "iu":
        return values.astype(dtype, copy=False)
    info = np.iinfo(dtype)
    return np.clip(np.rint(values), info.min, info.max).astype(dtype)


# --- histograms ------------------------------------------------------------------------------------------------------

Tables = Callable[[np.ndarray], np.ndarray]  # from how often each of the 256 values occurs to what each becomes


def by_tables(image: np.ndarray, table_of: Tables) -> np.ndarray:
    """Return a uint8 image with each channel looked up in the table computed from its histogram."""
    planes = image if image.ndim == 3 else image[:, :, None]
    tables = [table_of(np.bincount(planes[:, :, c].ravel(), minlength=256)) for c in range(planes.shape[2])]
    out = np.stack([table[planes[:, :, c]] for c, table in enumerate(tables)], -1)
    return out if image.ndim == 3 else out[:, :, 0]


def equalized(image: np.ndarray) -> np.ndarray:
    """Return a uint8 image in which all values are about as frequent."""
    return by_tables(image, _even_table)


def _even_table(counts: np.ndarray) -> np.ndarray:
    first = counts[np.flatnonzero(counts)[0]]
    rest = counts.sum() - first
    if not rest:
        return np.arange(256, dtype=np.uint8)
    shares = (np.cumsum(counts) - first).astype(np.float32) * np.float32(255.0 / rest)
    return np.rint(np.clip(shares, 0, 255)).astype(np.uint8)


# --- colours ---------------------------------------------------------------------------------------------------------

_WEIGHTS = np.array([0.299, 0.587, 0.114], np.float32)


def grey(image: np.ndarray) -> np.ndarray:
    """Return the brightness of an RGB array; for integers, with OpenCV's weights of 15 fractional bits."""
    if image.dtype.kind == "f":
        return (image[..., :3] @ _WEIGHTS).astype(image.dtype, copy=False)
    red, green, blue = (image[..., k].astype(np.int64) for k in range(3))
    return ((red * 9798 + green * 19235 + blue * 3735 + 16384) >> 15).astype(image.dtype)


def mixed(image: np.ndarray, share: float, other: np.ndarray, other_share: float) -> np.ndarray:
    """Return ``share · image + other_share · other`` in the dtype of `image`."""
    if image.dtype != np.uint8:
        return fitting(image * share + other * other_share, image.dtype)
    # OpenCV rounds the second product to float32, but not the first one.
    first = image.astype(np.float64) * np.float32(share)
    return fitting((first + other * np.float32(other_share)).astype(np.float32), image.dtype)


def hue_turned(image: np.ndarray, steps: int) -> np.ndarray:
    """Return an RGB image with its colours turned by `steps` of the 256 steps of OpenCV's full HSV.

    OpenCV cuts off the fractions of the pixels that it takes 32 at a time, and rounds those left over in a row.
    """
    red, green, blue = (image[..., k].astype(np.int64) for k in range(3))
    value = image.max(-1).astype(np.int64)
    spread = value - image.min(-1)
    sector = np.where(
        value == red,
        green - blue,
        np.where(value == green, blue - red + 2 * spread, red - green + 4 * spread),
    )
    hue = _divided(sector, spread, 256 / 6) & 0xFF
    hue = (hue + steps) & 0xFF
    saturation, value = (x.astype(np.float32) * np.float32(1 / 255) for x in (_divided(spread, value, 255), value))
    side, part = np.divmod(hue.astype(np.float32) * np.float32(6 / 255), np.float32(1))
    low, falling, rising = (value * (1 - saturation * share) for share in (np.float32(1), part, 1 - part))
    ways = np.stack([value, low, falling, rising], -1)
    turned = np.take_along_axis(ways, _SIDES[side.astype(np.int64) % 6], -1) * np.float32(255)
    by_vectors = image.shape[1] // 32 * 32
    turned[:, by_vectors:] = np.rint(turned[:, by_vectors:])
    return turned.astype(np.uint8)


# Of the six sides of the hexagon of hues: which of value, low, falling and rising is red, green and blue.
_SIDES = np.array([[0, 3, 1], [2, 0, 1], [1, 0, 3], [1, 2, 0], [3, 1, 0], [0, 1, 2]])


def _divided(numerator: np.ndarray, denominator: np.ndarray, scale: float) -> np.ndarray:
    """Return ``scale * numerator / denominator`` rounded, by a reciprocal of 12 fractional bits; 0 for 0 / 0."""
    reciprocal = np.rint(scale * 4096 / np.maximum(denominator, 1)).astype(np.int64)
    return np.where(denominator > 0, (numerator * reciprocal + 2048) >> 12, 0)


# The indices of the channels of the result; 3 is opaque, and greys are three times the same.
_ORDERS = {
    ConvertMode.COLOR_BGR2BGRA: (0, 1, 2, 3),
    ConvertMode.COLOR_BGRA2BGR: (0, 1, 2),
    ConvertMode.COLOR_BGR2RGBA: (2, 1, 0, 3),
    ConvertMode.COLOR_RGBA2BGR: (2, 1, 0),
    ConvertMode.COLOR_BGR2RGB: (2, 1, 0),
    ConvertMode.COLOR_BGRA2RGBA: (2, 1, 0, 3),
    ConvertMode.COLOR_GRAY2BGR: (0, 1, 2),
    ConvertMode.COLOR_GRAY2BGRA: (0, 1, 2, 3),
}


def converted(image: np.ndarray, mode: ConvertMode) -> np.ndarray:
    """Return an image with its channels exchanged, added or removed."""
    channels = image.shape[2] if image.ndim == 3 else 1
    planes = image if channels > 1 else np.repeat(image.reshape(*image.shape[:2], 1), 3, 2)
    if mode not in _ORDERS:
        blue_first = mode in (ConvertMode.COLOR_BGR2GRAY, ConvertMode.COLOR_BGRA2GRAY)
        return grey(planes[:, :, 2::-1] if blue_first else planes[:, :, :3])
    opaque = np.full((*image.shape[:2], 1), 1 if image.dtype.kind == "f" else np.iinfo(image.dtype).max, image.dtype)
    last = planes[:, :, 3:] if channels == 4 else opaque
    whole = np.concatenate([planes[:, :, :3], last], 2)
    return np.ascontiguousarray(whole[:, :, list(_ORDERS[mode])])


# --- neighbours ------------------------------------------------------------------------------------------------------

_FRACTION = 8  # bits after the point of the weights for uint8 images


def smoothed(image: np.ndarray) -> np.ndarray:
    """Return an image averaged over 3 × 3 pixels, the middle one counted five times; its rim stays."""
    out = image.astype(np.float32)
    if min(image.shape[:2]) >= 3:
        total: Any = 4 * out[1:-1, 1:-1]
        for down in range(3):
            for across in range(3):
                total = total + out[down : down + image.shape[0] - 2, across : across + image.shape[1] - 2]
        out[1:-1, 1:-1] = total / 13
    return fitting(out, image.dtype)


def blurred(image: np.ndarray, size: tuple[int, int], sigma: tuple[float, float]) -> np.ndarray:
    """Return an image averaged over (width, height) pixels with the weights of a bell curve."""
    across, down = bell(size[0], sigma[0]), bell(size[1], sigma[1])
    integer = image.dtype == np.uint8
    lines: Any = (whole(across), whole(down)) if integer else (across, down)
    framed = _reflected(image, size[1], size[0]).astype(np.int64 if integer else np.float64)
    wide: Any = sum(w * framed[:, k : k + image.shape[1]] for k, w in enumerate(lines[0]))
    total: Any = sum(w * wide[k : k + image.shape[0]] for k, w in enumerate(lines[1]))
    if not integer:
        return fitting(total, image.dtype)
    return np.clip((total + (1 << 2 * _FRACTION - 1)) >> 2 * _FRACTION, 0, 255).astype(np.uint8)


def bell(size: int, sigma: float) -> np.ndarray:
    """Return `size` weights of a bell curve, whose sum is 1."""
    offset = np.arange(size) - (size - 1) / 2
    line = np.exp(-0.5 * (offset / sigma) ** 2)
    return line / line.sum()


def whole(weights: np.ndarray) -> np.ndarray:
    """Return weights as multiples of 2^-8 whose sum is 1: the rounding error of each is added to the next one inwards."""
    half, left = len(weights) // 2, 0.0
    out = np.zeros(len(weights), np.int64)
    for k in range(half):
        exact = weights[k] * (1 << _FRACTION) + left
        out[k] = out[-1 - k] = round(exact)
        left = exact - out[k]
    out[half] = (1 << _FRACTION) - out.sum()
    return out


def _reflected(image: np.ndarray, height: int, width: int) -> np.ndarray:
    down, across = height // 2, width // 2
    widths = ((down, down), (across, across), (0, 0))[: image.ndim]
    return np.pad(image, widths, "reflect") if min(image.shape[:2]) > 1 else np.pad(image, widths, "edge")
