"""Colours that are changed by chance: the rows of the tables."""

import numpy as np
import pytest
from data_tables import operations_of
from data_tables.vision import IMAGE

import sporax.dataset as ds
from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.color_jitter")


def test_floats_change_like_bytes_unless_hues_change() -> None:
    adjust = vision.RandomColorAdjust((1.2, 1.2), (0.8, 0.8), (1.3, 1.3))
    image = 100 + IMAGE // 8  # nothing leaves the range of bytes
    ds.config.set_seed(1)
    floats = adjust(image.astype(np.float32))
    ds.config.set_seed(1)
    assert np.abs(floats - adjust(image).astype(np.float32)).max() < 3
    with pytest.raises(RuntimeError, match=r"RandomColorAdjust: expected uint8 of \(H, W, 3\), got float64"):
        vision.RandomColorAdjust(hue=(0.1, 0.1))(IMAGE / 255)


def test_small_changes_of_colour_are_none() -> None:
    assert np.array_equal(vision.RandomColor((1.001, 1.001))(IMAGE), IMAGE)
    np.testing.assert_array_equal(vision.RandomColor((0.001, 0.001))(IMAGE), vision.RandomColor((0.0, 0.0))(IMAGE))
