"""Operators of networks where MindSpore has ways of its own: values recorded from MindSpore 2.7.0 on CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from operands import counted, tensor

import sporax as ms
from sporax import Tensor, ops

IMAGE = tensor(0.5 - np.arange(1, 37).reshape(1, 1, 6, 6))


ONES = tensor(np.ones((1, 1, 3, 3)))


LOGITS = tensor([[0.1, 0.5, -1], [2, 0, 0.3]])


SMALL = counted(1, 1, 3, 4)


VALUES: dict[str, tuple[Callable[[], Any], list[float]]] = {
    "GeLU is the tanh form": (lambda: ops.GeLU()(tensor([1.0])), [0.841192]),
    "conv2d same, stride 2": (
        lambda: ops.conv2d(counted(1, 1, 6, 6), ONES, pad_mode="same", stride=2),
        [63, 81, 63, 171, 189, 135, 168, 180, 126],
    ),
    "Conv2D with four paddings": (
        lambda: ops.Conv2D(1, 3, pad_mode="pad", pad=(1, 0, 2, 1))(counted(1, 1, 6, 6), ONES)[0, 0, 0],
        [6, 14, 24, 30, 36, 42, 30],
    ),
    "Conv2DTranspose same": (
        lambda: ops.Conv2DTranspose(1, 3, pad_mode="same", stride=2)(tensor(np.ones((1, 1, 2, 2))), ONES, (1, 1, 4, 4)),
        [1, 1, 2, 1, 1, 1, 2, 1, 2, 2, 4, 2, 1, 1, 2, 1],
    ),
    "MaxPool same": (
        lambda: ops.MaxPool(3, 2, "same")(IMAGE),
        [-0.5, -2.5, -4.5, -12.5, -14.5, -16.5, -24.5, -26.5, -28.5],
    ),
    "AvgPool same leaves padding out": (
        lambda: ops.AvgPool(3, 2, "same")(IMAGE),
        [-7.5, -9.5, -11, -19.5, -21.5, -23, -28.5, -30.5, -32],
    ),
    "AvgPool3D same counts padding": (
        lambda: ops.AvgPool3D(3, 2, "same")(counted(1, 1, 4, 4, 4)),
        [21, 15, 18, 12.666667, 30, 20.666666, 22.666666, 15.555555],
    ),
    "avg_pool2d ceil counts padding, not what lies beyond": (
        lambda: ops.avg_pool2d(IMAGE, 3, 2, 1, True)[0, 0, :, 3],
        [-2.833333, -8.75, -14.75, -8.875],
    ),
    "the first maximum has the gradient": (
        lambda: ms.grad(lambda x: ops.max_pool2d(x, 2))(tensor(np.zeros((1, 1, 2, 4)))),
        [1, 0, 1, 0, 0, 0, 0, 0],
    ),
    "cross entropy, weights and smoothing": (
        lambda: ops.cross_entropy(LOGITS, Tensor([1, 0]), tensor([1, 2, 3]), label_smoothing=0.2),
        [0.847163],
    ),
    "SmoothL1Loss does not reduce": (lambda: ops.SmoothL1Loss()(tensor([3, 1, 2]), tensor([1, 1, 1])), [1.5, 0, 0.5]),
    "entropies are cut at 1e-12": (
        lambda: ops.binary_cross_entropy(tensor([0, 1]), tensor([1, 0]), None, "none"),
        [27.631021, 27.631021],
    ),
    "bicubic, half pixels": (
        lambda: ops.interpolate(SMALL, size=(5, 3), mode="bicubic")[0, 0, 0],
        [-0.199021, 1.197898, 2.594816],
    ),
    "bicubic, aligned corners": (
        lambda: ops.interpolate(SMALL, size=(5, 3), mode="bicubic", align_corners=True)[0, 0, 1],
        [1.625, 3.125, 4.625],
    ),
    "ResizeNearestNeighbor, aligned corners": (
        lambda: ops.ResizeNearestNeighbor((5, 3), True)(SMALL)[0, 0, :3],
        [0, 2, 3, 4, 6, 7, 4, 6, 7],
    ),
    "ROIAlign, end included": (
        lambda: ops.ROIAlign(2, 2, 1.0, 2, 1)(SMALL, tensor([[0, 0.2, 0.3, 0.9, 1.2]])),
        [3.725, 4.575, 7.525, 8.375],
    ),
    "IOU counts the last pixel": (
        lambda: ops.IOU()(tensor([[5, 5, 12, 12]]), tensor([[0, 0, 10, 10]])),
        [0.241611],
    ),
    "L2Normalize bounds the sum of squares": (
        lambda: ops.L2Normalize(axis=-1, epsilon=10.0)(tensor([[1, 2], [3, 4]])),
        [0.316228, 0.632456, 0.6, 0.8],
    ),
    "LRN's alpha is not divided": (
        lambda: ops.LRN(2, 1.0, 0.2, 0.75)(tensor(np.arange(1, 8).reshape(1, 7, 1, 1))),
        [0.36742, 0.464736, 0.465302, 0.439536, 0.410773, 0.518114, 0.666503],
    ),
    "LSTM with all weights in one Tensor": (
        lambda: ops.LSTM(2, 3, 1, True, False, 0.0)(
            tensor(np.ones((2, 1, 2))),
            tensor(np.zeros((1, 1, 3))),
            tensor(np.zeros((1, 1, 3))),
            counted(72, 1, 1) * 0.01 - 0.4,
        )[0],
        [-0.046636, -0.0413, -0.03489, -0.065357, -0.058882, -0.050929],
    ),
    "LSTM's weights: all inputs', all hidden, all biases": (
        lambda: ops.LSTM(2, 2, 1, True, True, 0.0)(
            tensor(np.ones((2, 1, 2))),
            tensor(np.zeros((2, 1, 2))),
            tensor(np.zeros((2, 1, 2))),
            counted(80, 1, 1) * 0.01 - 0.4,
        )[1],
        [-0.074318, -0.069159, 0.020168, 0.041083],
    ),
}


@pytest.mark.parametrize("label", sorted(VALUES))
def test_recorded_values(label: str) -> None:
    """Values as MindSpore computes them."""
    compute, want = VALUES[label]
    np.testing.assert_allclose(compute().asnumpy().ravel(), want, rtol=2e-5, atol=1e-6)
