"""Erasing: the rows of the tables, and what fills."""

import numpy as np
from data_tables import operations_of

from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.erase")


def test_random_erasing_fills_with_what_was_asked_for():
    image = np.zeros((3, 20, 20), np.float32)
    erased = vision.RandomErasing(1.0, value=(1, 2, 3))(image)
    assert [set(np.unique(plane)) for plane in erased] == [{0, 1}, {0, 2}, {0, 3}]
    assert not image.any()
    assert len(np.unique(vision.RandomErasing(1.0, value="random")(image))) > 10
    vision.RandomErasing(1.0, value=1, inplace=True)(image)
    assert image.any()
