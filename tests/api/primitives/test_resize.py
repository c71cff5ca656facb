"""Primitives that resize images and signals."""

import pytest

from sporax import Tensor, ops

ROW = Tensor([[[[1.0, 3.0]]]])


def test_values() -> None:
    assert ops.ResizeBilinearV2()(ROW, (1, 4)).tolist() == [[[[1, 2, 3, 3]]]]
    assert ops.ResizeBilinearV2(half_pixel_centers=True)(ROW, (1, 4)).tolist() == [[[[1, 1.5, 2.5, 3]]]]
    assert ops.ResizeNearestNeighbor((1, 4))(ROW).tolist() == [[[[1, 1, 3, 3]]]]
    assert ops.ResizeLinear1D()(ROW[0], (3,)).tolist() == [[[1, 2, 3]]]


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="align_corners and half_pixel_centers cannot both be True"):
        ops.ResizeBilinearV2(True, True)(ROW, (1, 4))
    with pytest.raises(TypeError, match="scales must be floats"):
        ops.UpsampleTrilinear3D()(ops.ones((1, 1, 2, 2, 2)), scales=(2, 2, 2))
