"""Operations pixel by pixel: the rows of the tables, floats."""

import numpy as np
from data_tables import operations_of

from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.pointwise")


def test_negatives_of_floats_are_taken_from_255_and_powers_end_at_1() -> None:
    image = np.array([[[0.5, 2.0, 300.0]]], np.float32)
    assert vision.Invert()(image).tolist() == [[[254.5, 253.0, -45.0]]]
    assert vision.AdjustGamma(2.0, 0.5)(image).tolist() == [[[0.0625, 1.0, 1.0]]]
