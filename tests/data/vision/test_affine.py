"""Affine maps and perspectives: the rows of the tables, Pillow images, shared draws."""

import numpy as np
from data_tables import operations_of
from data_tables.vision import IMAGE
from PIL import Image

import sporax.dataset as ds
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


def test_perspectives_of_a_pipeline_follow_the_seed() -> None:
    def epoch(workers: int) -> list[bytes]:
        rows = ds.NumpySlicesDataset(np.repeat(IMAGE[None], 12, 0), ["x"], shuffle=False)
        rows = rows.map([vision.ToPIL(), vision.RandomPerspective(0.5, 1.0)], "x", num_parallel_workers=workers)
        return [row[0].tobytes() for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    ds.config.set_seed(5)
    first = epoch(1)
    ds.config.set_seed(5)
    assert epoch(2) == first and len(set(first)) > 1
