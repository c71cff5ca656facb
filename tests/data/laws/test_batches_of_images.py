"""Batches of images: channels first, draws, pipelines, batches of nothing."""

import numpy as np
import pytest
from data_tables.vision import V, _images

import sporax.dataset as ds


def test_batches_with_channels_first() -> None:
    images = np.moveaxis(_images(2), -1, 1)
    call = V.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], is_hwc=False)
    assert (call(images) == np.stack([call(image) for image in images])).all()
    assert (V.HorizontalFlip()(images) == images[:, :, ::-1]).all()  # its last axis is taken for channels


def test_what_chance_does_to_batches() -> None:
    same = np.stack([_images()] * 8)
    ds.config.set_seed(1)
    flipped, cut = V.RandomResizedCrop(4)(same), V.RandomCrop(3)(same)
    assert (flipped == flipped[:1]).all()  # all images share one draw
    assert cut.shape == (8, 3, 3, 3) and (cut != cut[:1]).any()  # but places of cutting
    assert V.RandomResize((4, 4))(same).shape == (8, 4, 4, 3)


def test_batches_that_a_pipeline_makes() -> None:
    images = _images(4)
    rows = ds.NumpySlicesDataset({"x": images}, shuffle=False).batch(2).map(V.RandomHorizontalFlip(1.0), "x")
    found = np.concatenate([row[0] for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)])
    assert (found == images[:, :, ::-1]).all()


def test_a_batch_of_nothing() -> None:
    with pytest.raises(RuntimeError, match="expected an image"):
        V.HorizontalFlip()(_images(0))


CHAIN = [
    V.Resize((5, 9)),
    V.Pad(1, 7),
    V.CenterCrop(6),
    V.Crop((1, 0), 5),
    V.HorizontalFlip(),
    V.VerticalFlip(),
    V.Invert(),
]


def test_rows_in_memory_pass_operations_together(monkeypatch: pytest.MonkeyPatch) -> None:
    images = _images(7)
    expected = images
    for operation in CHAIN:
        expected = np.stack([operation(image) for image in expected])
    rows = ds.NumpySlicesDataset({"x": images}, shuffle=False).map(CHAIN, "x").batch(3)
    monkeypatch.setattr(V.Invert, "__call__", None)  # is not called row by row
    found = np.concatenate([row[0] for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)])
    np.testing.assert_array_equal(found, expected)


def test_a_subclass_with_its_own_operation_is_called_row_by_row() -> None:
    class Darker(V.Invert):
        def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
            return image // 2

    rows = ds.NumpySlicesDataset({"x": _images(4)}, shuffle=False).map(Darker(), "x").batch(2)
    found = np.concatenate([row[0] for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)])
    np.testing.assert_array_equal(found, _images(4) // 2)


def test_an_image_that_does_not_fit_is_refused_by_name() -> None:
    rows = ds.NumpySlicesDataset({"x": _images(4)}, shuffle=False).map(V.Crop((0, 0), 9), "x").batch(2)
    with pytest.raises(RuntimeError, match=r"vision.Crop: 9×9 at \(0, 0\) leaves the image"):
        list(rows.create_tuple_iterator(num_epochs=1, output_numpy=True))
