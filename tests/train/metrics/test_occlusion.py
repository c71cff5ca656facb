"""Occlusion sensitivity: scores that fall by what is covered."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, train


class Total(nn.Cell):
    """Scores (N, 2): the sum of each image, and its negative."""

    def construct(self, x: Tensor) -> Tensor:
        total = x.sum(axis=(1, 2)).reshape((-1, 1))
        return ms.ops.concat((total, -total), 1)


@pytest.mark.parametrize("batch", [1, 3, 128])
def test_occlusion_sensitivity(batch: int) -> None:
    """The score falls by what was covered, however many inputs run at a time."""
    image = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    metric = train.OcclusionSensitivity(margin=1, n_batch=batch)
    want = [[image[0, : i + 1, max(0, j - 1) : j + 1].sum() for j in range(3)] for i in range(2)]
    np.testing.assert_allclose(metric(Total(), image, 0), want)
    boxed = train.OcclusionSensitivity(margin=[1, 1], n_batch=batch, b_box=[-1, 1, 1, -1])
    np.testing.assert_allclose(boxed(Total(), image, 1), -np.array(want)[:, 1:])


def test_occlusion_sensitivity_errors() -> None:
    image = np.zeros((1, 2, 3), np.float32)
    with pytest.raises(TypeError, match="OcclusionSensitivity: margin has an unexpected type, got '2'"):
        train.OcclusionSensitivity(margin="2")
    with pytest.raises(TypeError, match="the model must be a Cell, got 1"):
        train.OcclusionSensitivity()(1, image, 0)
    with pytest.raises(RuntimeError, match="expected one input and one label, got 2 inputs and 1 labels"):
        train.OcclusionSensitivity()(Total(), np.zeros((2, 2, 3), np.float32), 0)
    with pytest.raises(ValueError, match=r"b_box must hold 4 ints, got \[0\]"):
        train.OcclusionSensitivity(b_box=[0])(Total(), image, 0)
    with pytest.raises(ValueError, match=r"b_box must lie in the input of shape \[2, 3\], got \[0, 5, 0, 0\]"):
        train.OcclusionSensitivity(b_box=[0, 5, 0, 0])(Total(), image, 0)
