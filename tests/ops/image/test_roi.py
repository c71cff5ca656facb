"""Pooling of regions whose bins have score maps of their own."""

import numpy as np
import pytest

from sporax import Tensor, ops


def test_each_bin_takes_the_mean_of_its_own_map() -> None:
    maps = np.arange(4, dtype=np.float32)[:, None, None] * np.ones((4, 4, 4), np.float32)
    rois = Tensor(np.array([[[0], [0], [0], [3], [3]]], np.float32))
    got = ops.PSROIPooling(1.0, 2, 1)(Tensor(maps[None]), rois)
    assert got.asnumpy().reshape(-1).tolist() == [0, 1, 2, 3]


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="group_size must be an int, got str"):
        ops.PSROIPooling(1.0, "2", 1)
    with pytest.raises(ValueError, match="expected 4, got 1"):
        ops.PSROIPooling(1.0, 2, 1)(Tensor([1.0]), Tensor([1.0]))
