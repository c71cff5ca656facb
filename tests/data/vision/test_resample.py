"""Resizing arrays as OpenCV does."""

import numpy as np
import pytest

from sporax._src.data.vision import opencv
from sporax._src.data.vision.enums import Inter
from sporax._src.data.vision.resample import resize
from sporax.dataset import vision

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


@pytest.mark.parametrize("operation", [
    vision.Resize((6, 6)), vision.Resize((6, 6), Inter.BICUBIC), vision.Resize((6, 6), Inter.AREA),
    vision.ResizedCrop(0, 0, 7, 7, (6, 6)), vision.Affine(15, [0.1, -0.1], 1.1, [5, 3], Inter.BILINEAR),
    vision.Rotate(30, Inter.BILINEAR), vision.Pad(1, 7), vision.GaussianBlur(3),
], ids=lambda operation: type(operation).__name__)  # fmt: skip
@pytest.mark.parametrize("has_opencv", [True, False])
def test_bools_are_bytes_of_0_and_1(
    operation: vision.Resize, has_opencv: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_opencv:
        monkeypatch.setattr(opencv, "library", lambda: None)
    mask = np.repeat(np.eye(8, dtype=bool)[..., None], 3, 2)
    got, wanted = operation(mask), operation(mask.astype(np.uint8))
    assert got.dtype == (
        np.uint8 if isinstance(operation, (vision.Pad, vision.GaussianBlur)) else np.bool_
    )  # as MindSpore
    np.testing.assert_array_equal(got, wanted)
