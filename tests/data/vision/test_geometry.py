"""Resizing, flips and pads: the rows of the tables, and constant images."""

import numpy as np
from data_tables import operations_of

from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.geometry")


def test_constant_images_stay_constant_at_any_size():
    for kind in (np.uint8, np.float32, np.int32):
        flat = np.full((5, 7, 2), 77, kind)
        for inter in ("NEAREST", "BILINEAR", "BICUBIC", "AREA"):
            for size in ((3, 4), (5, 7), (10, 14), (2, 20), (1, 1)):
                result = vision.Resize(size, vision.Inter[inter])(flat)
                assert result.shape == (*size, 2)
                assert (abs(result.astype(float) - 77) < 1e-3).all(), (kind, inter, size)
