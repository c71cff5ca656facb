"""Neural-network operators where MindSpore has ways of its own: values recorded from MindSpore 2.7.0 on CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, ops


def _t(values: Any, dtype: Any = np.float32) -> Tensor:
    return Tensor(np.asarray(values, dtype))


def _range(*shape: int) -> Tensor:
    return _t(np.arange(np.prod(shape)).reshape(shape))


Z = _t([-3, -1, 0, 1, 3, 6])
IMAGE = _t(0.5 - np.arange(1, 37).reshape(1, 1, 6, 6))
ONES = _t(np.ones((1, 1, 3, 3)))
LOGITS = _t([[0.1, 0.5, -1], [2, 0, 0.3]])
SMALL = _range(1, 1, 3, 4)


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("relu", [0, 0, 0, 1, 1, 1]),
        ("relu6", [0, 0, 0, 1, 1, 1]),
        ("hardtanh", [0, 0.5, 1, 0.5, 0, 0]),
        ("hardsigmoid", [0, 1 / 6, 1 / 6, 1 / 6, 0, 0]),
        ("hardswish", [-0.5, 1 / 6, 0.5, 5 / 6, 1.5, 1]),
        ("hardshrink", [1, 1, 0, 1, 1, 1]),
        ("softshrink", [1, 1, 0, 1, 1, 1]),
        ("leaky_relu", [0.2, 0.2, 0.6, 1, 1, 1]),
    ],
)
def test_slopes_at_corners(name: str, slope: list[float]) -> None:
    """The derivative where a piecewise function has a corner."""
    np.testing.assert_allclose(ms.grad(getattr(ops, name))(Z).asnumpy(), slope, rtol=1e-6)


VALUES: dict[str, tuple[Callable[[], Any], list[float]]] = {
    "GeLU is the tanh form": (lambda: ops.GeLU()(_t([1.0])), [0.841192]),
    "conv2d same, stride 2": (
        lambda: ops.conv2d(_range(1, 1, 6, 6), ONES, pad_mode="same", stride=2),
        [63, 81, 63, 171, 189, 135, 168, 180, 126],
    ),
    "Conv2D with four paddings": (
        lambda: ops.Conv2D(1, 3, pad_mode="pad", pad=(1, 0, 2, 1))(_range(1, 1, 6, 6), ONES)[0, 0, 0],
        [6, 14, 24, 30, 36, 42, 30],
    ),
    "Conv2DTranspose same": (
        lambda: ops.Conv2DTranspose(1, 3, pad_mode="same", stride=2)(_t(np.ones((1, 1, 2, 2))), ONES, (1, 1, 4, 4)),
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
        lambda: ops.AvgPool3D(3, 2, "same")(_range(1, 1, 4, 4, 4)),
        [21, 15, 18, 12.666667, 30, 20.666666, 22.666666, 15.555555],
    ),
    "avg_pool2d ceil counts padding, not what lies beyond": (
        lambda: ops.avg_pool2d(IMAGE, 3, 2, 1, True)[0, 0, :, 3],
        [-2.833333, -8.75, -14.75, -8.875],
    ),
    "the first maximum has the gradient": (
        lambda: ms.grad(lambda x: ops.max_pool2d(x, 2))(_t(np.zeros((1, 1, 2, 4)))),
        [1, 0, 1, 0, 0, 0, 0, 0],
    ),
    "cross entropy, weights and smoothing": (
        lambda: ops.cross_entropy(LOGITS, Tensor([1, 0]), _t([1, 2, 3]), label_smoothing=0.2),
        [0.847163],
    ),
    "SmoothL1Loss does not reduce": (lambda: ops.SmoothL1Loss()(_t([3, 1, 2]), _t([1, 1, 1])), [1.5, 0, 0.5]),
    "entropies are cut at 1e-12": (
        lambda: ops.binary_cross_entropy(_t([0, 1]), _t([1, 0]), None, "none"),
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
        lambda: ops.ROIAlign(2, 2, 1.0, 2, 1)(SMALL, _t([[0, 0.2, 0.3, 0.9, 1.2]])),
        [3.725, 4.575, 7.525, 8.375],
    ),
    "IOU counts the last pixel": (
        lambda: ops.IOU()(_t([[5, 5, 12, 12]]), _t([[0, 0, 10, 10]])),
        [0.241611],
    ),
    "L2Normalize bounds the sum of squares": (
        lambda: ops.L2Normalize(axis=-1, epsilon=10.0)(_t([[1, 2], [3, 4]])),
        [0.316228, 0.632456, 0.6, 0.8],
    ),
    "LRN's alpha is not divided": (
        lambda: ops.LRN(2, 1.0, 0.2, 0.75)(_t(np.arange(1, 8).reshape(1, 7, 1, 1))),
        [0.36742, 0.464736, 0.465302, 0.439536, 0.410773, 0.518114, 0.666503],
    ),
    "LSTM with all weights in one Tensor": (
        lambda: ops.LSTM(2, 3, 1, True, False, 0.0)(
            _t(np.ones((2, 1, 2))), _t(np.zeros((1, 1, 3))), _t(np.zeros((1, 1, 3))), _range(72, 1, 1) * 0.01 - 0.4
        )[0],
        [-0.046636, -0.0413, -0.03489, -0.065357, -0.058882, -0.050929],
    ),
    "LSTM's weights: all inputs', all hidden, all biases": (
        lambda: ops.LSTM(2, 2, 1, True, True, 0.0)(
            _t(np.ones((2, 1, 2))), _t(np.zeros((2, 1, 2))), _t(np.zeros((2, 1, 2))), _range(80, 1, 1) * 0.01 - 0.4
        )[1],
        [-0.074318, -0.069159, 0.020168, 0.041083],
    ),
}


@pytest.mark.parametrize("label", sorted(VALUES))
def test_recorded_values(label: str) -> None:
    """Values as MindSpore computes them."""
    compute, want = VALUES[label]
    np.testing.assert_allclose(compute().asnumpy().ravel(), want, rtol=2e-5, atol=1e-6)


def test_batch_norm_updates_the_running_statistics() -> None:
    """Training takes the unbiased variance into the running statistics, in the function and in the Primitive."""
    x, one, zero = _range(2, 2, 2, 2), _t([1, 1]), _t([0, 0])
    mean, var = Parameter(zero, name="mean"), Parameter(one, name="var")
    ops.batch_norm(x, mean, var, one, zero, True, 0.1)
    np.testing.assert_allclose(mean.asnumpy(), [0.55, 0.95], rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), [2.871429, 2.871429], rtol=1e-6)
    mean, var = Parameter(zero, name="mean"), Parameter(one, name="var")
    _, _, _, batch_mean, batch_var = ops.BatchNorm(is_training=True)(x, one, zero, mean, var)
    np.testing.assert_allclose(var.asnumpy(), [2.871429, 2.871429], rtol=1e-6)
    np.testing.assert_allclose(batch_mean.asnumpy(), [5.5, 9.5])
    np.testing.assert_allclose(batch_var.asnumpy(), [17.25, 17.25])


def test_the_padding_row_of_an_embedding_receives_no_gradient() -> None:
    """And with scale_grad_by_freq each row's gradient is a mean."""
    at = Tensor([0, 1, 1, 2])

    def total(weight: Tensor) -> Tensor:
        return ops.embedding(at, weight, 0).sum()

    def shared(weight: Tensor) -> Tensor:
        return ops.embedding(at, weight, scale_grad_by_freq=True).sum()

    weight = _range(3, 1)
    assert ms.grad(total)(weight).asnumpy().ravel().tolist() == [0, 2, 1]
    assert ms.grad(shared)(weight).asnumpy().ravel().tolist() == [1, 1, 1]


def test_dtypes_of_places() -> None:
    """Places of maxima are int64, but int32 from adaptive_max_pool3d and MaxPoolWithArgmax."""
    assert ops.max_pool2d(IMAGE, 2, return_indices=True)[1].dtype == ms.int64
    assert ops.adaptive_max_pool2d(IMAGE, 2, True)[1].dtype == ms.int64
    assert ops.adaptive_max_pool3d(_range(1, 1, 2, 2, 2), 1, True)[1].dtype == ms.int32
    assert ops.MaxPoolWithArgmax(2, 2)(IMAGE)[1].dtype == ms.int32


def test_ctc_gradient_is_finite_without_an_alignment() -> None:
    """zero_infinity drops sequences that are too short, in the loss and in its gradient."""
    logits = _t(np.random.default_rng(0).standard_normal((2, 1, 4)))
    labels, lengths = Tensor(np.array([[3, 3]], np.int32)), Tensor(np.array([2], np.int32))

    def loss(x: Tensor) -> Tensor:
        return ops.ctc_loss(ops.log_softmax(x), labels, lengths, lengths, zero_infinity=True)[0]

    assert loss(logits).item() == 0
    assert np.all(ms.grad(loss)(logits).asnumpy() == 0)


def test_flash_attention_of_packed_sequences() -> None:
    """In the layout TND no query sees another sequence's keys."""
    x = _t(np.random.default_rng(0).standard_normal((5, 2, 4)))
    packed = ops.flash_attention_score(
        x, x, x, 2, input_layout="TND", actual_seq_qlen=[2, 5], actual_seq_kvlen=[2, 5], sparse_mode=3
    )
    alone = ops.flash_attention_score(x[None, 2:], x[None, 2:], x[None, 2:], 2, input_layout="BSND", sparse_mode=3)
    np.testing.assert_allclose(packed.asnumpy()[2:], alone.asnumpy()[0], rtol=1e-5)
