"""Operations on images with bounding boxes: the rows of the tables, and what boxes follow."""

import numpy as np
import pytest
from data_tables import operations_of
from data_tables.vision_boxes import ARRAYS

from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.boxes")


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
