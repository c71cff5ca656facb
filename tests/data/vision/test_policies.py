"""Policies of augmentation: the rows of the tables."""

import math

import numpy as np
import pytest
from data_tables import operations_of
from data_tables.vision import IMAGE

from sporax._src.data.vision import policies
from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.policies")


def test_moves_are_those_of_mindspore() -> None:
    augment = vision.RandAugment(fill_value=(1, 2, 3))
    assert (augment._changed(IMAGE, "TranslateX", 2.0) == (1, 2, 3)).all()  # it multiplies pixels by the width
    slanted = vision.Affine(0, (0, 0), 1.0, math.degrees(0.3), fill_value=(1, 2, 3))(IMAGE)
    np.testing.assert_array_equal(augment._changed(IMAGE, "ShearX", 0.3), slanted)
    turned = vision.Rotate(20.0, fill_value=(1, 3, 2))(IMAGE)  # with green and blue exchanged
    np.testing.assert_array_equal(augment._changed(IMAGE, "Rotate", 20.0), turned)


def test_autoaugment_has_thresholds_up_to_256() -> None:
    thresholds = policies.strengths("Solarize", 10, (6, 8), brightest=vision.AutoAugment.brightest)
    assert thresholds[[0, 3]].tolist() == pytest.approx([256, 512 / 3])
    assert policies.strengths("Solarize", 31, (6, 8))[0] == 255
