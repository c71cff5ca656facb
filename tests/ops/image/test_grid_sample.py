"""Values of images at positions between their pixels: grids, crops and regions."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.image.grid_sample")


@pytest.mark.parametrize(
    "samples, end, region, size, want",
    [
        (-1, 0, [0, -2, -2, 22, 22], (2, 2, 1.0), [[6.295, 0], [0, 0]]),
        (0, 1, [0, -2, -2, 22, 22], (2, 2, 1.0), [[6.614, 0], [0, 0]]),
        (1, 0, [0, -2, -2, 22, 22], (2, 2, 1.0), [[29, 0], [0, 0]]),
        (-1, 1, [0, 1, 2.5, 9, 9.5], (2, 3, 0.5), [[15.75, 17.25, 18.75], [27.75, 29.25, 30.75]]),
    ],
)
def test_regions_larger_than_the_image(samples, end, region, size, want):
    image = Tensor(np.arange(1, 37, dtype=np.float32).reshape(1, 1, 6, 6))
    got = ops.ROIAlign(*size, samples, end)(image, Tensor([region], ms.float32))
    np.testing.assert_allclose(got.asnumpy()[0, 0], want, atol=1e-3)


def test_crops_between_the_centres_of_pixels():
    image = Tensor(np.arange(12, dtype=np.float32).reshape(1, 4, 3, 1))
    boxes = Tensor([[0.0, 0.1, 0.6, 1.2], [0.5, 0.6, 0.1, 0.0], [0.2, -0.3, 0.9, 0.8]])
    crop = ops.CropAndResize("bilinear_v2", -1.0)
    got = crop(image, boxes, Tensor([0, 0, 0], ms.int32), (2, 2)).asnumpy()[..., 0]
    want = [[[1.25, 3.25], [5.75, 7.75]], [[7, 7], [7, 7]], [[1.75, 3.25], [7.75, 9.25]]]
    np.testing.assert_allclose(got, want, rtol=1e-6)
