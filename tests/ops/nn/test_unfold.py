"""Windows of images as columns, and back."""

import pytest
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.nn.unfold")


def test_what_sizes_and_scales_are_refused():
    with pytest.raises(ValueError, match="the value of 'output_size' must not be negative, but got \\[6, -1\\]"):
        ops.fold(ops.ones((1, 8, 4)), Tensor([6, -1]), 2)
    with pytest.raises(TypeError, match="scales must be floats"):
        ops.UpsampleTrilinear3D()(ops.ones((1, 1, 2, 2, 2)), None, [1, 2, 3])
