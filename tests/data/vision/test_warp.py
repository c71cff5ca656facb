"""Images through affine and perspective maps."""

import numpy as np
import pytest

from sporax._src.data.vision import warp
from sporax._src.data.vision.enums import Inter

IMAGE = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.uint8)
SHIFT = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


def test_inverse_of_a_map() -> None:
    m = np.array([[2.0, 1.0, 3.0], [0.0, 4.0, -1.0]])
    inverse = warp.inverse_affine(m)
    whole = np.vstack([m, [0, 0, 1]]) @ np.vstack([inverse, [0, 0, 1]])
    np.testing.assert_allclose(whole, np.eye(3), atol=1e-12)
    assert not warp.inverse_affine(np.zeros((2, 3))).any()


def test_a_rotation_keeps_its_center() -> None:
    m = warp.rotation((2.0, 3.0), 90)
    np.testing.assert_allclose(m @ [2.0, 3.0, 1.0], [2.0, 3.0], atol=1e-12)
    np.testing.assert_allclose(m @ [3.0, 3.0, 1.0], [2.0, 2.0], atol=1e-12)  # counter-clockwise: y grows downwards


@pytest.mark.parametrize("kind", [Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC])
def test_a_shift_by_a_pixel(kind: Inter) -> None:
    out = warp.affine(IMAGE, SHIFT, (3, 4), kind, (0,))
    assert out[:, 1:].tolist() == IMAGE.tolist()
    assert out[:, 0].tolist() == [0, 0, 0]


def test_half_a_pixel_is_the_mean() -> None:
    half = np.array([[1.0, 0.0, -0.5], [0.0, 1.0, 0.0]])
    out = warp.affine(IMAGE.astype(np.float32), half, (3, 2), Inter.BILINEAR, (0.0,))
    assert out.tolist() == [[1.5, 2.5], [4.5, 5.5], [7.5, 8.5]]


def test_what_is_outside_has_the_colour_of_the_channel() -> None:
    image = np.zeros((1, 1, 3), np.uint8)
    far = np.array([[1.0, 0.0, 5.0], [0.0, 1.0, 0.0]])
    assert warp.affine(image, far, (1, 1), Inter.NEAREST, (1, 2, 3)).tolist() == [[[1, 2, 3]]]


def test_a_perspective_map_takes_four_points_to_four() -> None:
    start = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], float)
    end = np.array([[1, 0], [3, 1], [2, 3], [0, 2]], float)
    m = warp.perspective_map(start, end)
    mapped = np.column_stack([start, np.ones(4)]) @ m.T
    np.testing.assert_allclose(mapped[:, :2] / mapped[:, 2:], end, atol=1e-12)


def test_the_map_of_equal_points_leaves_an_image_as_it_is() -> None:
    corners = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], float)
    for kind in (Inter.NEAREST, Inter.BILINEAR):
        assert warp.perspective(IMAGE, corners, corners, (3, 3), kind, (0,)).tolist() == IMAGE.tolist()


def test_a_turned_image_needs_the_size_of_its_frame() -> None:
    assert warp.turned_size((3, 5), (2.0, 1.0), 90) == pytest.approx((5, 3), abs=1e-5)
    assert warp.turned_size((3, 5), (2.0, 1.0), 45) == pytest.approx((8 / 2**0.5, 8 / 2**0.5), abs=1e-5)


def test_coordinates_beyond_32_bits_are_outside() -> None:
    far = np.array([[1.0, 0.0, 1e12], [0.0, 1.0, 0.0]])
    assert warp.affine(IMAGE, far, (3, 3), Inter.BILINEAR, (7,)).tolist() == [[7] * 3] * 3
