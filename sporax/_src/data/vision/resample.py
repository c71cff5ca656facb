"""Resizing arrays as OpenCV does, which MindSpore's own image operations use; goldens `vision/resize_*` check it.

Rows and columns are resampled apart. For uint8, OpenCV computes with weights of 11 fractional bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.data.vision import plain
from sporax._src.data.vision.enums import Inter

_BITS = 2048


def resize(image: np.ndarray, height: int, width: int, interpolation: Inter) -> np.ndarray:
    """Return `image` of ``(H, W)`` or ``(H, W, C)`` at `height` × `width`."""
    if (height, width) == image.shape[:2]:
        return image.copy()
    scales = image.shape[0] / height, image.shape[1] / width
    if interpolation is Inter.NEAREST:
        rows = np.minimum(np.floor(np.arange(height) * scales[0]).astype(int), image.shape[0] - 1)
        columns = np.minimum(np.floor(np.arange(width) * scales[1]).astype(int), image.shape[1] - 1)
        return image[rows][:, columns]
    shrinks = scales[0] >= 1 and scales[1] >= 1
    if (interpolation is Inter.AREA and shrinks) or (interpolation is Inter.BILINEAR and scales == (2.0, 2.0)):
        return _area(image, height, width)
    taps = {Inter.BILINEAR: _linear, Inter.AREA: _linear_by_area, Inter.BICUBIC: _cubic}[interpolation]
    by_row, by_column = taps(image.shape[0], height, True), taps(image.shape[1], width, False)
    return _fixed(image, by_row, by_column) if image.dtype == np.uint8 else _floating(image, by_row, by_column)


Taps = tuple[np.ndarray, np.ndarray]  # for each output, the inputs (n, k) and their float32 weights (n, k)


# OpenCV keeps both weights of a tap beyond the edge for rows, where both inputs are then the same line, and none for
# columns; with weights of 11 bits that shows.


def _linear(size: int, target: int, is_row: bool) -> Taps:
    center = ((np.arange(target) + 0.5) * (size / target) - 0.5).astype(np.float32)
    start = np.floor(center).astype(int)
    return _pair(start, center - start.astype(np.float32), size, is_row)


def _linear_by_area(size: int, target: int, is_row: bool) -> Taps:
    scale = size / target
    start = np.floor(np.arange(target) * scale).astype(int)
    part = ((np.arange(target) + 1) - (start + 1) / scale).astype(np.float32)
    return _pair(start, np.where(part <= 0, np.float32(0), part - np.floor(part)), size, is_row)


def _pair(start: np.ndarray, part: np.ndarray, size: int, is_row: bool) -> Taps:
    if not is_row:
        beyond = (start < 0) | (start >= size - 1)
        start, part = np.clip(start, 0, size - 1), np.where(beyond, np.float32(0), part)
    inputs = np.clip(np.stack([start, start + 1], 1), 0, size - 1)
    return inputs, np.stack([np.float32(1) - part, part], 1)


def _cubic(size: int, target: int, is_row: bool) -> Taps:
    center = ((np.arange(target) + 0.5) * (size / target) - 0.5).astype(np.float32)
    start = np.floor(center).astype(int)
    return np.clip(start[:, None] + np.arange(-1, 3), 0, size - 1), cubic((center - start.astype(np.float32))[:, None])


def cubic(x: np.ndarray) -> np.ndarray:
    """Return the weights (n, 4) of four neighbours for fractions (n, 1), as float32."""
    a, one = np.float32(-0.75), np.float32(1)
    w0 = ((a * (x + one) - 5 * a) * (x + one) + 8 * a) * (x + one) - 4 * a
    w1 = ((a + 2) * x - (a + 3)) * x * x + one
    w2 = ((a + 2) * (one - x) - (a + 3)) * (one - x) * (one - x) + one
    return np.concatenate([w0, w1, w2, one - w0 - w1 - w2], 1).astype(np.float32)


def _fixed(image: np.ndarray, by_row: Taps, by_column: Taps) -> np.ndarray:
    (rows, row_weights), (columns, column_weights) = by_row, by_column
    lines, positions = _needed(image, rows)
    first = np.rint(column_weights * _BITS).astype(np.int32)
    second = np.rint(row_weights * _BITS).astype(np.int32)
    wide = _across(lines, _channels(image), columns, first, np.int32)
    if rows.shape[1] == 2:  # the two-tap pass drops low bits of each product first
        wide >>= 4
        total = _product(wide, positions[:, 0], second[:, 0]) >> 16
        total += _product(wide, positions[:, 1], second[:, 1]) >> 16
        total += 2
        total >>= 2
    else:
        taps = range(rows.shape[1])
        total = sum(_product(wide.astype(np.int64), positions[:, k], second[:, k]) for k in taps)
        total = np.clip((total + (1 << 21)) >> 22, 0, 255)
    return total.astype(np.uint8).reshape(len(rows), len(columns), *image.shape[2:])


def _floating(image: np.ndarray, by_row: Taps, by_column: Taps) -> np.ndarray:
    (rows, row_weights), (columns, column_weights) = by_row, by_column
    lines, positions = _needed(image, rows)
    kind = np.float64 if image.dtype == np.float64 else np.float32
    wide = _across(lines, _channels(image), columns, column_weights, kind)
    total = _product(wide, positions[:, 0], row_weights[:, 0])
    for k in range(1, rows.shape[1]):
        total += _product(wide, positions[:, k], row_weights[:, k])
    return plain.fitting(total, image.dtype).reshape(len(rows), len(columns), *image.shape[2:])


def _channels(image: np.ndarray) -> int:
    return 1 if image.ndim == 2 else image.shape[2]


def _needed(image: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of `image` that are read, each as one line, and their numbers for the taps."""
    if rows.size < image.shape[0]:
        needed, positions = np.unique(rows, return_inverse=True)
        return image[needed].reshape(len(needed), -1), positions.reshape(rows.shape)
    return image.reshape(image.shape[0], -1), rows


def _across(lines: np.ndarray, channels: int, columns: np.ndarray, weights: np.ndarray, dtype: Any) -> np.ndarray:
    """Return every line resampled: the weighted sum of its taps, channels kept apart."""
    total = None
    for k in range(columns.shape[1]):
        positions = (columns[:, k, None] * channels + np.arange(channels)).ravel()
        part = np.multiply(lines[:, positions], np.repeat(weights[:, k], channels), dtype=dtype, casting="unsafe")
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    return total


def _product(wide: np.ndarray, positions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    part = wide[positions]
    part *= weights[:, None]
    return part


def _shares(size: int, target: int) -> np.ndarray:
    """Return the weight of each input in each output: how much of the output's range it covers."""
    scale = size / target
    shares = np.zeros((target, size), np.float32)
    for out in range(target):
        low, high = out * scale, min((out + 1) * scale, size)
        cell = min(scale, size - low)
        for k in range(int(np.floor(low)), int(np.ceil(high - 1e-9))):
            covered = min(high, k + 1) - max(low, k)
            if covered > 1e-3:
                shares[out, k] = covered / cell
    return shares


def _area(image: np.ndarray, height: int, width: int) -> np.ndarray:
    if image.shape[0] % height == 0 and image.shape[1] % width == 0:
        by_row, by_column = image.shape[0] // height, image.shape[1] // width
        blocks = image.reshape(height, by_row, width, by_column, *image.shape[2:])
        if image.dtype == np.uint8:
            total = blocks.sum((1, 3), dtype=np.int64)
            if (by_row, by_column) == (2, 2):
                return ((total + 2) >> 2).astype(np.uint8)
            return plain.fitting(total * np.float32(1 / (by_row * by_column)), image.dtype)
        return plain.fitting(blocks.astype(np.float32).sum((1, 3)) * np.float32(1 / (by_row * by_column)), image.dtype)
    work = image.astype(np.float32)
    wide = np.einsum("ij,hj...->hi...", _shares(image.shape[1], width), work)
    return plain.fitting(np.einsum("ij,j...->i...", _shares(image.shape[0], height), wide), image.dtype)
