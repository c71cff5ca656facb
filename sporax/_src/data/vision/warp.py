"""Images through affine and perspective maps, pixel for pixel as OpenCV computes them.

A map takes coordinates of the result to those of the image. OpenCV holds coordinates with 5 bits after the point, and
weights of neighbours with 15; this module does the same, so that results are equal and not only close.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sporax._src.data.vision.enums import Inter

_BITS, _STEPS = 5, 32
_WEIGHT_BITS = 15


def inverse_affine(m: np.ndarray) -> np.ndarray:
    """Return the inverse of a 2×3 affine map."""
    det = m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]
    det = 1.0 / det if det else 0.0
    a, b, c, d = m[1, 1] * det, -m[0, 1] * det, -m[1, 0] * det, m[0, 0] * det
    return np.array([[a, b, -a * m[0, 2] - b * m[1, 2]], [c, d, -c * m[0, 2] - d * m[1, 2]]])


def rotation(center: tuple[float, float], degrees: float) -> np.ndarray:
    """Return the map that turns counter-clockwise around (x, y)."""
    alpha, beta = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = center
    return np.array([[alpha, beta, (1 - alpha) * x - beta * y], [-beta, alpha, beta * x + (1 - alpha) * y]])


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
    inverse = inverse_affine(np.asarray(m, np.float64))
    height, width = size
    x, y = np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64)
    shift = 1024 // 2 if interpolation is Inter.NEAREST else 1024 // _STEPS // 2
    down = np.rint((inverse[:, 1:2] * y + inverse[:, 2:]) * 1024).astype(np.int64) + shift
    across = np.rint(inverse[:, :1] * x * 1024).astype(np.int64)
    coordinates = (down[:, :, None] + across[:, None, :]) >> (10 if interpolation is Inter.NEAREST else 10 - _BITS)
    return _sampled(image, coordinates[0], coordinates[1], interpolation, fill)


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
    image: np.ndarray, m: np.ndarray, size: tuple[int, int], interpolation: Inter, fill: tuple[float, ...]
) -> np.ndarray:
    """Return an image of (height, width) that the 3×3 map `m` maps `image` to (arguments as of `affine`)."""
    inverse = np.linalg.inv(m)
    y, x = np.mgrid[: size[0], : size[1]].astype(np.float64)
    w = inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2]
    scale = np.where(w != 0, (1 if interpolation is Inter.NEAREST else _STEPS) / np.where(w != 0, w, 1), 0)
    coordinates = [
        np.rint((inverse[k, 0] * x + inverse[k, 1] * y + inverse[k, 2]) * scale).astype(np.int64) for k in (0, 1)
    ]
    return _sampled(image, coordinates[0], coordinates[1], interpolation, fill)


def _sampled(
    image: np.ndarray, x: np.ndarray, y: np.ndarray, interpolation: Inter, fill: tuple[float, ...]
) -> np.ndarray:
    planes = image if image.ndim == 3 else image[:, :, None]
    colour = np.resize(np.array(fill, np.float64), planes.shape[2])
    framed = np.empty((planes.shape[0] + 1, planes.shape[1] + 1, planes.shape[2]), planes.dtype)
    framed[:-1, :-1], framed[-1], framed[:, -1] = planes, colour, colour
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
    whole_x, whole_y = x >> _BITS, y >> _BITS
    integer = framed.dtype == np.uint8
    table = _weights(len(taps), integer)
    weights = table[y & (_STEPS - 1), x & (_STEPS - 1)]
    total: Any = np.zeros((*x.shape, framed.shape[2]), np.int64 if integer else np.float64)
    for j, dy in enumerate(taps):
        for i, dx in enumerate(taps):
            total += _pixels(framed, whole_x + dx, whole_y + dy) * weights[:, :, j, i, None]
    if not integer:
        return total.astype(framed.dtype)
    return np.clip((total + (1 << _WEIGHT_BITS - 1)) >> _WEIGHT_BITS, 0, 255).astype(np.uint8)


_TABLES: dict[tuple[int, bool], np.ndarray] = {}


def _weights(count: int, integer: bool) -> np.ndarray:
    """Return the weights of count × count neighbours, by the fractions of y and x."""
    if (count, integer) not in _TABLES:
        f = np.arange(_STEPS)[:, None] / _STEPS
        if count == 2:
            lines = np.concatenate([1 - f, f], 1)
        else:
            a = -0.75
            near, far = ((a + 2) * t**3 - (a + 3) * t**2 + 1 for t in (f, 1 - f))
            before = a * (f + 1) ** 3 - 5 * a * (f + 1) ** 2 + 8 * a * (f + 1) - 4 * a
            lines = np.concatenate([before, near, far, 1 - before - near - far], 1)
        table = lines[:, None, :, None] * lines[None, :, None, :]
        if integer:
            table = _whole(table)
        _TABLES[count, integer] = table
    return _TABLES[count, integer]


def _whole(table: np.ndarray) -> np.ndarray:
    """Return weights as integers whose sum is 2^15: a middle one takes what rounding left over."""
    whole = np.rint(table * (1 << _WEIGHT_BITS)).astype(np.int64)
    middle = slice(table.shape[2] // 2 - 1, table.shape[2] // 2 + 1) if table.shape[2] == 4 else slice(0, 2)
    for indices in np.argwhere(whole.sum((2, 3)) != 1 << _WEIGHT_BITS):
        cell = whole[tuple(indices)]
        core = cell[middle, middle]
        left = (1 << _WEIGHT_BITS) - int(cell.sum())
        spot = np.unravel_index(np.argmax(core) if left < 0 else np.argmin(core), core.shape)
        core[spot] += left
    return whole
