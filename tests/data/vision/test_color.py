"""Colour spaces: the rows of the tables, there and back."""

import numpy as np
from data_tables import operations_of

from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.color")


def test_colours_there_and_back() -> None:
    values = np.random.default_rng(0).random((2, 3, 5, 4))
    hsv = vision.RgbToHsv()(values)
    np.testing.assert_allclose(vision.HsvToRgb()(hsv), values, atol=1e-12)
    np.testing.assert_allclose(vision.RgbToHsv(True)(values.transpose(0, 2, 3, 1)), hsv.transpose(0, 2, 3, 1))
    whiten = vision.LinearTransformation(np.diag([1.0, 2.0, 3.0, 4.0]), np.ones(4))
    np.testing.assert_array_equal(whiten(np.full((2, 2), 3.0)), [[2.0, 4.0], [6.0, 8.0]])
