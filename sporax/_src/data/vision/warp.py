"""Images through affine and perspective maps, pixel for pixel as OpenCV computes them.

A map takes coordinates of the result to those of the image. OpenCV holds coordinates with 5 bits after the point, and
weights of neighbours with 15; this module does the same, so that results are equal and not only close.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from sporax._src.data.vision import plain, resample
from sporax._src.data.vision.enums import Inter

BITS, STEPS = 5, 32
_WEIGHT_BITS = 15


def inverse_affine(m: np.ndarray) -> np.ndarray:
    """Return the inverse of a 2×3 affine map."""
    det = m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]
    det = 1.0 / det if det else 0.0
    a, b, c, d = m[1, 1] * det, -m[0, 1] * det, -m[1, 0] * det, m[0, 0] * det
    return np.array([[a, b, -a * m[0, 2] - b * m[1, 2]], [c, d, -c * m[0, 2] - d * m[1, 2]]])


def rotation(center: tuple[float, float], degrees: float) -> np.ndarray:
    """Return the map that turns counter-clockwise around (x, y); MindSpore holds center and degrees as float32."""
    angle = float(np.float32(degrees)) * (math.pi / 180)
    alpha, beta = math.cos(angle), math.sin(angle)
    x, y = (float(np.float32(part)) for part in center)
    return np.array([[alpha, beta, (1 - alpha) * x - beta * y], [-beta, alpha, beta * x + (1 - alpha) * y]])


def turned_size(size: tuple[int, int], center: tuple[float, float], degrees: float) -> tuple[float, float]:
    """Return height and width that hold an image of (height, width) turned around (x, y), as OpenCV adds in float32."""
    angle = float(np.float32(degrees)) * (math.pi / 180)
    cos, sin = np.float32(math.cos(angle)) * np.float32(0.5), np.float32(math.sin(angle)) * np.float32(0.5)
    (height, width), (x, y) = map(np.float32, size), map(np.float32, center)
    first = x - sin * height - cos * width, y + cos * height - sin * width
    second = x + sin * height - cos * width, y - cos * height - sin * width
    across, down = ([a, b, 2 * c - a, 2 * c - b] for a, b, c in zip(first, second, (x, y), strict=True))
    return float(max(down) - min(down)), float(max(across) - min(across))


def affine(
    image: np.ndarray, m: np.ndarray, size: tuple[int, int], interpolation: Inter, fill: tuple[float, ...]
) -> np.ndarray:
    """Return an image of (height, width) that `m` maps `image` to.

    Args:
        image: Shape (H, W) or (H, W, C).
        m: The map from the image to the result, 2×3.
        size: Height and width of the result.
        interpolation: The interpolation between pixels.
        fill: The values outside of the image, one number or one per channel.
    """
    return _sampled(image, affine_coordinates(m, size, interpolation), interpolation, fill)


def affine_coordinates(m: np.ndarray, size: tuple[int, int], interpolation: Inter) -> np.ndarray:
    """Return where in the image each pixel of the result lies: x and y, times `STEPS` if there is interpolation."""
    inverse = inverse_affine(np.asarray(m, np.float64))
    height, width = size
    x, y = np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64)
    shift = 1024 // 2 if interpolation is Inter.NEAREST else 1024 // STEPS // 2
    down = _int32((inverse[:, 1:2] * y + inverse[:, 2:]) * 1024) + np.int32(shift)
    across = _int32(inverse[:, :1] * x * 1024)
    coordinates = down[:, :, None] + across[:, None, :]
    coordinates >>= 10 if interpolation is Inter.NEAREST else 10 - BITS
    return coordinates


def _int32(values: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values), -(2**31), 2**31 - 1).astype(np.int32)


def perspective_equations(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the 8×8 matrix and right side for the first eight entries of the map that takes four points to four."""
    rows, sides = [], []
    for (x, y), (u, v) in zip(start, end, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -x * u, -y * u], [0, 0, 0, x, y, 1, -x * v, -y * v]]
        sides += [u, v]
    return np.array(rows, np.float64), np.array(sides, np.float64)


def perspective_map(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the 3×3 perspective map that takes four points to four points."""
    return np.append(np.linalg.solve(*perspective_equations(start, end)), 1.0).reshape(3, 3)


def perspective(
    image: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    size: tuple[int, int],
    interpolation: Inter,
    fill: tuple[float, ...],
) -> np.ndarray:
    """Return an image of (height, width) in which four points of `image`, `start`, are moved to `end`."""
    coordinates = perspective_coordinates(perspective_map(start, end), size, interpolation)
    return _sampled(image, coordinates, interpolation, fill)


def perspective_coordinates(m: np.ndarray, size: tuple[int, int], interpolation: Inter) -> np.ndarray:
    """Return where in the image each pixel of the result lies, as `affine_coordinates` does for a map of 3×3."""
    inverse = np.linalg.inv(m)
    y, x = np.mgrid[: size[0], : size[1]].astype(np.float64)
    w = inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2]
    scale = np.where(w != 0, (1 if interpolation is Inter.NEAREST else STEPS) / np.where(w != 0, w, 1), 0)
    return np.stack([_int32((inverse[k, 0] * x + inverse[k, 1] * y + inverse[k, 2]) * scale) for k in (0, 1)])


def colour(fill: tuple[float, ...]) -> tuple[float, ...]:
    """Return the value outside of an image for each of four channels: the fourth is 0."""
    return (*(fill if len(fill) == 3 else fill[:1] * 3), 0)


def _sampled(image: np.ndarray, coordinates: np.ndarray, interpolation: Inter, fill: tuple[float, ...]) -> np.ndarray:
    (x, y), planes = coordinates, image if image.ndim == 3 else image[:, :, None]
    outside = np.resize(np.array(colour(fill), np.float64), planes.shape[2])
    framed = np.empty((planes.shape[0] + 1, planes.shape[1] + 1, planes.shape[2]), planes.dtype)
    framed[:-1, :-1], framed[-1], framed[:, -1] = planes, outside, outside
    if interpolation is Inter.NEAREST:
        sampled = _pixels(framed, x, y)
    else:
        taps = (-1, 0, 1, 2) if interpolation in (Inter.BICUBIC, Inter.PILCUBIC) else (0, 1)
        sampled = _weighted(framed, x, y, taps)
    return sampled if image.ndim == 3 else sampled[:, :, 0]


def _pixels(framed: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the pixels at integer coordinates; the last row and column of `framed` stand for all that is outside."""
    height, width = framed.shape[0] - 1, framed.shape[1] - 1
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return framed[np.where(inside, y, height), np.where(inside, x, width)]


def _weighted(framed: np.ndarray, x: np.ndarray, y: np.ndarray, taps: tuple[int, ...]) -> np.ndarray:
    whole_x, whole_y = x >> BITS, y >> BITS
    of_bytes = framed.dtype == np.uint8
    table = _weights(len(taps), of_bytes)
    weights = table[y & (STEPS - 1), x & (STEPS - 1)]
    total: Any = np.zeros((*x.shape, framed.shape[2]), np.int64 if of_bytes else np.float64)
    for j, dy in enumerate(taps):
        for i, dx in enumerate(taps):
            total += _pixels(framed, whole_x + dx, whole_y + dy) * weights[:, :, j, i, None]
    return plain.fitting((total + (1 << _WEIGHT_BITS - 1)) >> _WEIGHT_BITS if of_bytes else total, framed.dtype)


@functools.cache
def _weights(count: int, of_bytes: bool) -> np.ndarray:
    """Return the weights of count × count neighbours, by the fractions of y and x."""
    f = np.arange(STEPS, dtype=np.float32)[:, None] / np.float32(STEPS)
    lines = np.concatenate([1 - f, f], 1) if count == 2 else resample.cubic(f)
    table = lines[:, None, :, None] * lines[None, :, None, :]
    return _whole(table) if of_bytes else table


def _whole(table: np.ndarray) -> np.ndarray:
    """Return weights as integers whose sum is 2^15: the largest of four takes what is missing, the smallest gives."""
    whole = np.rint(table * np.float32(1 << _WEIGHT_BITS)).astype(np.int64)
    for indices in np.argwhere(whole.sum((2, 3)) != 1 << _WEIGHT_BITS):
        cell = whole[tuple(indices)]
        core = cell[2:, 2:]
        left = (1 << _WEIGHT_BITS) - int(cell.sum())
        core[np.unravel_index(np.argmax(core) if left > 0 else np.argmin(core), core.shape)] += left
    return whole
