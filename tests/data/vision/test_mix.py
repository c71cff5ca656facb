"""Mixed and cut batches: the rows of the tables, and shares of labels."""

import numpy as np
import pytest
from data_tables import operations_of

import sporax.dataset as ds
from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.mix")


def batch() -> tuple[np.ndarray, np.ndarray]:
    images = np.stack([np.full((6, 4, 3), 60 * k, np.uint8) for k in range(4)])
    return images, np.eye(4, dtype=np.int32)


def test_mixing_images_of_a_batch() -> None:
    images, labels = batch()
    mixed, shares = vision.MixUpBatch(1.0)(images, labels)
    assert mixed.dtype == np.uint8 and shares.dtype == np.float32
    np.testing.assert_allclose(shares.sum(1), 1.0, rtol=1e-6)
    levels = shares @ np.arange(0, 240, 60)
    assert np.abs(mixed[:, 0, 0, 0] - levels).max() <= 0.51


@pytest.mark.parametrize("last", [True, False])
def test_cutting_images_of_a_batch(last: bool) -> None:
    images, labels = batch()
    given = images if last else images.transpose(0, 3, 1, 2)
    form = vision.ImageBatchFormat.NHWC if last else vision.ImageBatchFormat.NCHW
    for _ in range(20):
        mixed, shares = vision.CutMixBatch(form)(given, labels)
        planes = mixed if last else mixed.transpose(0, 2, 3, 1)
        counts = np.stack([(planes[..., 0] == 60 * k).mean((1, 2)) for k in range(4)], 1)
        np.testing.assert_allclose(counts, shares, atol=1e-6)  # a label's share is its area
    same, kept = vision.CutMixBatch(form, prob=0.0)(given, labels)
    assert np.array_equal(same, given) and np.array_equal(kept, labels)


def test_mixing_with_the_batch_before() -> None:
    images, labels = batch()
    mixed, shares = vision.MixUp(4, 0.5)(images, labels)
    np.testing.assert_allclose(shares @ np.arange(0, 240, 60), mixed[:, 0, 0, 0])
    assert mixed.dtype == shares.dtype == np.float64 and (shares > 0).sum() > 4
    mix = vision.MixUp(4, 0.5, False)
    first, _ = mix(images, labels)
    np.testing.assert_array_equal(first, images)
    second, shares = mix(images[::-1], labels[::-1])
    np.testing.assert_allclose(shares @ np.arange(0, 240, 60), second[:, 0, 0, 0])


def test_batches_in_a_pipeline() -> None:
    images, labels = batch()
    data = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False).batch(4)
    data = data.map(vision.MixUpBatch(), ["image", "label"])
    (row,) = data.create_dict_iterator(1, output_numpy=True)
    assert row["image"].shape == (4, 6, 4, 3) and row["label"].shape == (4, 4)
