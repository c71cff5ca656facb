"""Arguments that several image operations take, brought to one form."""

import numpy as np
import pytest

from sporax._src.data.vision import arguments
from sporax._src.data.vision.enums import Border, Inter


def test_forms() -> None:
    assert arguments.size_pair("Resize", 4) == (4, 4)
    assert arguments.size_pair("Resize", [4, 5]) == (4, 5)
    assert arguments.padding("Pad", 1) == (1, 1, 1, 1)
    assert arguments.padding("Pad", (1, 2)) == (1, 2, 1, 2)
    assert arguments.padding("Pad", [1, 2, 3, 4]) == (1, 2, 3, 4)
    assert arguments.colour("Pad", 7) == (7,)
    assert arguments.colour("Pad", [1, 2, 255]) == (1, 2, 255)
    assert arguments.choice("Pad", "padding_mode", Border.EDGE, Border) is Border.EDGE
    assert arguments.interval("Crop", "scale", [1, 2]) == (1.0, 2.0)


REFUSED = [
    (lambda: arguments.size_pair("R", True), TypeError, "R: size must be an int or (height, width), got True."),
    (
        lambda: arguments.size_pair("R", (1, 2, 3)),
        TypeError,
        "R: size must be an int or (height, width), got (1, 2, 3).",
    ),
    (lambda: arguments.size_pair("R", (0, 2)), ValueError, "R: size must be in [1, 2147483647], got 0."),
    (lambda: arguments.padding("P", 1.0), TypeError, "P: padding must be an int or a tuple of int, got 1.0."),
    (lambda: arguments.padding("P", (1, 2, 3)), ValueError, "P: padding must have 1, 2 or 4 numbers, got (1, 2, 3)."),
    (lambda: arguments.padding("P", -1), ValueError, "P: padding must be in [0, 2147483647], got -1."),
    (lambda: arguments.colour("P", (1, 2)), TypeError, "P: fill_value must be an int or three of them, got (1, 2)."),
    (lambda: arguments.colour("P", 256), ValueError, "P: fill_value must be in [0, 255], got 256."),
    (lambda: arguments.choice("R", "mode", "linear", Inter), TypeError, "R: mode must be a Inter, got 'linear'."),
    (lambda: arguments.interval("C", "scale", 3), TypeError, "C: scale must be (least, most), got 3."),
    (
        lambda: arguments.interval("C", "scale", (2, 1)),
        ValueError,
        "C: scale must be (least, most) in order, got (2, 1).",
    ),
    (
        lambda: arguments.interval("C", "scale", (-1, 1), 0),
        ValueError,
        "C: scale must be (least, most) in order and at least 0, got (-1, 1).",
    ),
]


@pytest.mark.parametrize("call, kind, text", REFUSED, ids=[text for *_, text in REFUSED])
def test_other_values_are_refused(call, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == text


def test_a_canvas_is_like_the_image() -> None:
    image = np.zeros((1, 1, 3), np.uint8)
    assert arguments.filled(image, 1, 2, (1, 2, 3)).tolist() == [[[1, 2, 3], [1, 2, 3]]]
    assert arguments.filled(image, 1, 1, (4,)).tolist() == [[[4, 4, 4]]]
    grey = arguments.filled(np.zeros((5, 5), np.float32), 1, 2, (1, 2, 3))
    assert grey.dtype == np.float32 and grey.tolist() == [[1.0, 1.0]]
