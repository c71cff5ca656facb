"""Resampling in all of torch's modes: a matrix for each dimension."""

import math

import numpy as np

import sporax as mindspore
from sporax import ops


def _cubic(x, a):
    """Return the cubic kernel."""
    x = abs(x)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _smoothed_row(i, length, step, mode):
    """Return the weights of the old elements for the new element `i`; its filter is widened if elements become fewer."""
    wide = max(step, 1.0)
    reach = (2.0 if mode == "bicubic" else 1.0) * wide
    center, row = step * (i + 0.5), np.zeros(length)
    for j in range(max(int(center - reach + 0.5), 0), min(int(center + reach + 0.5), length)):
        x = (j - center + 0.5) / wide
        row[j] = _cubic(x, -0.5) if mode == "bicubic" else max(1 - abs(x), 0.0)
    return row / row.sum()


def _resampled_row(i, length, size, step, mode, align_corners, real):
    """Return the weights of the old elements for the new element `i`; positions are numbers of the type `real`."""
    step = float(real(step))
    row = np.zeros(length)
    if mode == "area":
        first, last = i * length // size, -(-(i + 1) * length // size)
        row[first:last] = 1 / (last - first)
    elif mode in ("nearest", "nearest-exact"):
        row[min(int(real((i + 0.5 * (mode == "nearest-exact")) * step)), length - 1)] = 1
    else:
        at = float(real(step * i if align_corners else step * (i + 0.5) - 0.5))
        at = at if mode == "bicubic" else max(at, 0.0)
        low = math.floor(at)
        for j in range(low - 1, low + 3):
            share = _cubic(at - j, -0.75) if mode == "bicubic" else max(1 - abs(at - j), 0.0)
            row[min(max(j, 0), length - 1)] += share
    return row


def _interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """Return the input resized in the dimensions after the second."""
    lengths = input.shape[2:]
    factors = list(scale_factor) if isinstance(scale_factor, (tuple, list)) else [scale_factor] * len(lengths)
    if size is None:
        sizes = [math.floor(n * f) for n, f in zip(lengths, factors, strict=True)]
    else:
        sizes = list(size) if isinstance(size, (tuple, list)) else [size] * len(lengths)
    result, real = input, np.float64 if input.dtype == mindspore.float64 else np.float32
    for axis, (length, new, factor) in enumerate(zip(lengths, sizes, factors, strict=True), 2):
        step = length / new if size is not None or recompute_scale_factor else 1 / factor
        if align_corners:
            step = (length - 1) / (new - 1) if new > 1 else 0.0
        if antialias:
            rows = [_smoothed_row(i, length, step, mode) for i in range(new)]
        else:
            rows = [_resampled_row(i, length, new, step, mode, align_corners, real) for i in range(new)]
        matrix = mindspore.Tensor(np.stack(rows).T).to(result.dtype)
        result = ops.matmul(result.swapaxes(axis, -1), matrix).swapaxes(axis, -1)
    return result
