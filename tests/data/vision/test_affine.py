"""Affine maps and perspectives: the rows of the tables, Pillow images, shared draws."""

import numpy as np
from data_tables import operations_of
from data_tables.vision import IMAGE
from PIL import Image

from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.affine")


def test_pillow_images_stay_pillow_images() -> None:
    image = Image.fromarray(IMAGE)
    for operation in (
        vision.RandomColor(),
        vision.RandomSharpness(),
        vision.RandomAffine(20),
        vision.RandomPerspective(prob=1.0),
    ):
        assert isinstance(operation(image), Image.Image)
    assert np.array_equal(np.asarray(vision.RandomAffine(0)(image)), IMAGE)


def test_all_images_of_a_call_share_the_draw() -> None:
    both = vision.RandomAffine(90)(IMAGE, IMAGE.copy())
    np.testing.assert_array_equal(*both)
