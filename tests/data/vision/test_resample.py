"""Resizing arrays as OpenCV does."""

import numpy as np
import pytest

from sporax._src.data.vision.enums import Inter
from sporax._src.data.vision.resample import resize

RAMP = np.array([[0, 10, 20, 30], [40, 50, 60, 70]], np.uint8)


def test_nearest_repeats_and_skips() -> None:
    assert resize(RAMP, 2, 2, Inter.NEAREST).tolist() == [[0, 20], [40, 60]]
    assert resize(RAMP[:1, :2], 2, 4, Inter.NEAREST).tolist() == [[0, 0, 10, 10]] * 2


def test_area_is_the_mean_of_a_block() -> None:
    assert resize(RAMP, 1, 2, Inter.AREA).tolist() == [[25, 45]]
    assert resize(RAMP.astype(np.float32), 1, 4, Inter.AREA).tolist() == [[20.0, 30.0, 40.0, 50.0]]
    assert resize(RAMP, 1, 2, Inter.BILINEAR).tolist() == [[25, 45]]  # OpenCV halves in this way
    assert resize(np.float32([[0, 3, 6]]), 1, 2, Inter.AREA).tolist() == [[1.0, 5.0]]


def test_linear_weights_come_from_the_centers() -> None:
    line = np.array([[0.0, 8.0]], np.float32)
    assert resize(line, 1, 4, Inter.BILINEAR).tolist() == [[0.0, 2.0, 6.0, 8.0]]
    assert resize(np.array([[0, 8]], np.uint8), 1, 4, Inter.BILINEAR).tolist() == [[0, 2, 6, 8]]


@pytest.mark.parametrize("kind", [Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.AREA])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_an_even_image_stays_even(kind: Inter, dtype: type) -> None:
    image = np.full((5, 7, 3), 100, dtype)
    for height, width in ((3, 4), (9, 11), (5, 3)):
        out = resize(image, height, width, kind)
        assert out.dtype == dtype and out.shape == (height, width, 3)
        np.testing.assert_allclose(out, 100, rtol=1e-6)


def test_the_same_size_is_a_copy() -> None:
    out = resize(RAMP, 2, 4, Inter.BICUBIC)
    out[0, 0] = 99
    assert RAMP[0, 0] == 0
