"""The NumPy forms of kernels, by hand; `test_opencv.py` compares them with OpenCV."""

import numpy as np

from sporax._src.data.vision import plain
from sporax._src.data.vision.enums import Border, ConvertMode


def test_pixels_move() -> None:
    image = np.array([[[1, 2], [3, 4]]], np.uint8)
    assert plain.mirrored(image).tolist() == [[[3, 4], [1, 2]]]
    assert plain.channels_first(image).tolist() == [[[1, 3]], [[2, 4]]]
    assert plain.padded(image[:, :, 0], (1, 0, 2, 0), (9,), Border.CONSTANT).tolist() == [[9, 1, 3, 9, 9]]
    assert plain.padded(image[:, :, 0], (1, 0, 1, 0), (9,), Border.REFLECT).tolist() == [[3, 1, 3, 1]]


def test_values_are_rounded_and_held_in_range() -> None:
    values = np.array([-3.0, 0.5, 1.5, 300.0])
    assert plain.fitting(values, np.dtype(np.uint8)).tolist() == [0, 0, 2, 255]
    assert plain.fitting(values, np.dtype(np.int16)).tolist() == [-3, 0, 2, 300]
    assert plain.fitting(values, np.dtype(np.float32)).tolist() == values.tolist()


def test_shares_are_added() -> None:
    one, two = np.array([[10, 200]], np.uint8), np.array([[20, 100]], np.uint8)
    assert plain.mixed(one, 2.0, two, -1.0).tolist() == [[0, 255]]
    assert plain.mixed(one, 0.5, two, 0.5).tolist() == [[15, 150]]


def test_greys() -> None:
    image = np.array([[[100, 100, 100], [255, 0, 0]]], np.uint8)
    assert plain.grey(image).tolist() == [[100, 76]]
    assert plain.converted(image, ConvertMode.COLOR_RGB2RGBA)[0, 1].tolist() == [255, 0, 0, 255]
    assert plain.converted(plain.grey(image), ConvertMode.COLOR_GRAY2RGB)[0, 0].tolist() == [100] * 3


def test_weights_of_a_blur() -> None:
    assert plain.whole(plain.bell(3, 0.8)).tolist() == [61, 134, 61]
    assert np.isclose(plain.bell(7, 1.4).sum(), 1)
    assert plain.blurred(np.array([[7]], np.uint8), (3, 3), (1.0, 1.0)).tolist() == [[7]]
