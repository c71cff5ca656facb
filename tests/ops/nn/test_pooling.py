"""Pooling by maxima, means and norms in one, two and three dimensions, and what all poolings share."""

from __future__ import annotations

import numpy as np
from laws.rows import laws_of
from operands import counted, tensor

import sporax as ms
from sporax import ops

test_row = laws_of("sporax._src.ops.nn.pooling")


IMAGE = tensor(0.5 - np.arange(1, 37).reshape(1, 1, 6, 6))


def test_dtypes_of_places() -> None:
    """Places of maxima are int64, but int32 from adaptive_max_pool3d and MaxPoolWithArgmax."""
    assert ops.max_pool2d(IMAGE, 2, return_indices=True)[1].dtype == ms.int64
    assert ops.adaptive_max_pool2d(IMAGE, 2, True)[1].dtype == ms.int64
    assert ops.adaptive_max_pool3d(counted(1, 1, 2, 2, 2), 1, True)[1].dtype == ms.int32
    assert ops.MaxPoolWithArgmax(2, 2)(IMAGE)[1].dtype == ms.int32
