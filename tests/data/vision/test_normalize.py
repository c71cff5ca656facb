"""Normalization of images: the rows of the tables."""

import numpy as np
import pytest
from data_tables import operations_of

import sporax.dataset.vision as vision

TestOperations = operations_of("sporax._src.data.vision.normalize")


@pytest.mark.parametrize("factor", [1 / 255, -0.3, 0.0, 3e30])
def test_rescaled_bytes_are_products_of_float32(factor: float) -> None:
    """Bit for bit, whatever the largest byte is."""
    for most in range(256):
        image = np.arange(most + 1, dtype=np.uint8)[::-1].reshape(1, -1, 1)
        np.testing.assert_array_equal(vision.Rescale(factor, 0)(image), image.astype(np.float32) * np.float32(factor))
