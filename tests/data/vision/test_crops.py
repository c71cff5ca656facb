"""Crops: the rows of the tables, and ratios out of reach."""

import numpy as np
from data_tables import operations_of

from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.crops")


def test_ratio_out_of_reach_falls_back_to_the_middle():
    long = np.zeros((4, 100, 3), np.uint8)
    assert vision.RandomResizedCrop(8, scale=(1.0, 1.0), ratio=(1.0, 1.0), max_attempts=2)(long).shape == (8, 8, 3)
