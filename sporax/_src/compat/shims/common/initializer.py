"""Helpers of `mindspore.common.initializer` that programs import for initializers of their own.

mindscience, mindaudio, mindone, mindnlp, d2l-mindspore and `models` do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax.common.initializer import Uniform, initializer


def _calculate_fan_in_and_fan_out(shape: Sequence[int]) -> tuple[int, int]:
    """Return how many inputs and outputs an element of a weight has.

    Raises:
        ValueError: If the shape has fewer than 2 axes.
    """
    if len(shape) < 2:
        raise ValueError(f"Fan in and fan out can not be computed for a shape of fewer than 2 axes, got {list(shape)}.")
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def _calculate_correct_fan(shape: Sequence[int], mode: str) -> int:
    """Return the fan that `mode` names, `"fan_in"` or `"fan_out"`.

    Raises:
        ValueError: If `mode` is neither.
    """
    modes = ("fan_in", "fan_out")
    if mode.lower() not in modes:
        raise ValueError(f"mode must be one of {modes}, got {mode!r}.")
    return _calculate_fan_in_and_fan_out(shape)[modes.index(mode.lower())]


def _calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return by how much a nonlinearity asks for larger weights.

    Raises:
        ValueError: If the nonlinearity is unknown.
    """
    slope = 0.01 if param is None else param
    gains = {"tanh": 5 / 3, "relu": math.sqrt(2), "leaky_relu": math.sqrt(2 / (1 + slope**2))}
    plain = (
        "linear",
        "sigmoid",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
    )
    if nonlinearity not in (*gains, *plain):
        raise ValueError(f"unknown nonlinearity {nonlinearity!r}.")
    return gains.get(nonlinearity, 1.0)


def _assignment(arr: np.ndarray, num: Any) -> np.ndarray:
    """Put a number, or an array of as many elements, into an array and return it."""
    arr[...] = np.reshape(num, arr.shape) if np.ndim(num) else num
    return arr


def _init_random_uniform(a: float, b: float, shape: Sequence[int]) -> np.ndarray:
    """Return numbers of [a, b), drawn after the global seed."""
    return initializer(Uniform(1.0), tuple(shape)).asnumpy() * ((b - a) / 2) + (a + b) / 2
