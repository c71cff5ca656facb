"""Operations on images with bounding boxes against MindSpore's results, and what those by chance do."""

import json
from pathlib import Path

import numpy as np
import pytest

from sporax.dataset import transforms, vision

FOLDER = Path(__file__).parents[1] / "goldens"
GOLDENS = json.loads((FOLDER / "vision_boxes.json").read_text(encoding="utf-8"))["results"]
ARRAYS = np.load(FOLDER / "vision_boxes.npz")
NAMES = {**vars(vision), "i": ARRAYS["i"], "b": ARRAYS["b"], "np": np}


@pytest.mark.parametrize("call", sorted(GOLDENS))
def test_results_and_errors_are_mindspores(call: str) -> None:
    expected = GOLDENS[call]
    if "error" in expected:
        kinds = {"TypeError": TypeError, "ValueError": ValueError, "RuntimeError": RuntimeError, "KeyError": KeyError}
        with pytest.raises(kinds[expected["error"]]):
            eval(call, dict(NAMES))
        return
    found = eval(call, dict(NAMES))
    for place, part in enumerate(found if "first" in expected else (), expected.get("first", 0)):
        want = ARRAYS[f"a{place}"]
        assert (part.shape, part.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(part, want, rtol=1e-6, atol=1e-6 if part.dtype.kind == "f" else 0)


@pytest.mark.parametrize(
    "operation",
    [vision.RandomCropWithBBox((5, 4)), vision.RandomResizedCropWithBBox((16, 12)), vision.RandomResizeWithBBox(7)],
)
def test_boxes_stay_inside_and_keep_what_follows(operation: vision.RandomCropWithBBox) -> None:
    for _ in range(20):
        image, boxes = operation(ARRAYS["i"], ARRAYS["b"])
        ends = boxes[:, :2] + boxes[:, 2:4]
        assert boxes.dtype == np.float32 and (boxes[:, :4] >= 0).all()
        assert (ends <= np.array(image.shape[1::-1]) + 1e-4).all()
        assert set(boxes[:, 4]) <= set(ARRAYS["b"][:, 4])


def test_a_box_follows_what_is_in_it() -> None:
    picture, box = np.zeros((12, 10), np.uint8), np.array([[3, 4, 2, 3]], np.float32)
    picture[4:7, 3:5] = 255
    for operation in (
        vision.RandomHorizontalFlipWithBBox(1.0),
        vision.RandomVerticalFlipWithBBox(1.0),
        vision.RandomCropWithBBox(9),
    ):
        image, boxes = operation(picture, box)
        if len(boxes):
            (x, y, width, height), (rows, columns) = boxes[0].astype(int), np.nonzero(image)
            assert image[y : y + height, x : x + width].all() and len(rows) == width * height and len(columns)


def test_error_texts() -> None:
    image, boxes = ARRAYS["i"], ARRAYS["b"]
    flip = vision.RandomHorizontalFlipWithBBox(1.0)
    with pytest.raises(
        RuntimeError, match="RandomHorizontalFlipWithBBox: expected an image and its boxes, got 1 inputs"
    ):
        flip(image)
    with pytest.raises(RuntimeError, match=r"expected boxes as float32 of \(N, 4 or more\), got float64"):
        flip(image, boxes.astype(np.float64))
    with pytest.raises(RuntimeError, match="a box leaves the image"):
        flip(image, boxes + 9)
    with pytest.raises(TypeError, match="BoundingBoxAugment: transform must be an operation, got 3"):
        vision.BoundingBoxAugment(3)  # type: ignore[arg-type]


def test_not_random_marks_a_function() -> None:
    def double(value: int) -> int:
        return value * 2

    assert transforms.not_random(double) is double and not double.random
