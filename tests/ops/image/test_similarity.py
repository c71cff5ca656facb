"""Similarities of images: equal ones, and a difference that is known."""

import numpy as np
import pytest

from sporax import Tensor, nn
from sporax._src.ops.image import similarity

IMAGE = Tensor(np.random.default_rng(0).random((1, 1, 16, 16)).astype(np.float32))


def test_peak_signal_to_noise() -> None:
    got = similarity.psnr(IMAGE, IMAGE + 0.1, 1.0)
    np.testing.assert_allclose(got.asnumpy(), [20.0], rtol=1e-4)


@pytest.mark.parametrize("layer", [nn.SSIM(filter_size=5), nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=5)])
def test_equal_images_are_alike(layer) -> None:
    np.testing.assert_allclose(layer(IMAGE, IMAGE).asnumpy(), [1.0], rtol=1e-5)
    assert layer(IMAGE, 1 - IMAGE).asnumpy()[0] < 0.5
