"""Operations done at once give what they give one after the other, bit for bit, or are called as before."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

import sporax.dataset as ds
from sporax._src.data.vision.byte_tables import Together, steps
from sporax.dataset import transforms, vision

MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
OF_COLOURS: dict[str, list[Any]] = {
    "imagenet": [vision.Normalize(MEAN, STD), vision.HWC2CHW()],
    "scaled": [vision.Rescale(1 / 255, 0.0), vision.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4]), vision.HWC2CHW()],
    "tensor": [vision.ToTensor(), vision.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4], is_hwc=False)],
    "first, then values": [vision.HWC2CHW(), vision.Normalize(MEAN, STD, is_hwc=False), transforms.TypeCast("float64")],
    "channels stay last": [vision.Rescale(1 / 127.5, -1.0), vision.Normalize([0.5] * 3, [0.5] * 3)],
}
OF_ANY: dict[str, list[Any]] = {
    "mnist": [vision.Rescale(1 / 255, 0.0), vision.Rescale(1 / 0.3081, -0.1307 / 0.3081), vision.HWC2CHW()],
    "one mean": [vision.ToTensor(np.float64), vision.Normalize([0.5], [0.25], is_hwc=False)],
    "bytes again": [vision.Rescale(0.7, 3.0), vision.ToType(np.uint8), vision.HWC2CHW()],
}


def image(channels: int, dtype: str = "uint8") -> np.ndarray:
    return np.random.default_rng(channels).integers(0, 256, (19, 31, channels)).astype(dtype)


def one_by_one(operations: Sequence[Callable[..., Any]], value: Any) -> Any:
    for operation in operations:
        value = operation(value)
    return value


def assert_same(got: Any, expected: np.ndarray) -> None:
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", [*OF_COLOURS, *OF_ANY])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_arrays_are_the_same_bit_for_bit(name: str, channels: int) -> None:
    operations = OF_ANY.get(name) or OF_COLOURS[name]
    if name in OF_COLOURS and channels != 3:
        assert Together(operations)(image(channels)) is None  # Normalize raises
        return
    for array in (image(channels), image(channels)[::-1, ::2], np.asfortranarray(image(channels)), image(channels)[:0]):
        assert_same(Together(operations)(array), one_by_one(operations, array))


@pytest.mark.parametrize("name", ["tensor", "one mean"])
def test_pillow_images_are_the_same_bit_for_bit(name: str) -> None:
    operations, colours = {**OF_COLOURS, **OF_ANY}[name], Image.fromarray(image(3))
    together = Together(operations)
    assert_same(together(colours), one_by_one(operations, colours))  # MindSpore divides those in float64
    assert_same(together(image(3)), one_by_one(operations, image(3)))
    assert together(colours.convert("L")) is None and together(colours.convert("CMYK")) is None


def test_other_values_are_left_to_the_operations() -> None:
    together = Together(OF_ANY["mnist"])
    for value in (
        image(3, "float32"),
        image(3, "int16"),
        image(5),
        image(3)[..., 0],
        image(3)[None],
        3,
        "text",
        [[[1]]],
    ):
        assert together(value) is None
    assert Together([vision.Rescale(1.0, 0.0), transforms.TypeCast("float16")])(image(3)) is None


def test_steps_keep_the_order_and_users_own_classes() -> None:
    class Mine(vision.Normalize):
        def _apply(self, array: np.ndarray) -> np.ndarray:
            return array + 1

    mine, rescale, first, pad = Mine([0.0], [1.0]), vision.Rescale(1.0, 0.0), vision.HWC2CHW(), vision.Pad(1)
    found = steps([rescale, first, pad, rescale, mine, first, lambda x: x])
    assert [len(step.operations) for step in found] == [2, 1, 1, 1, 1, 1]
    assert [step.together is not None for step in found] == [True, False, False, False, False, False]
    assert [operation for step in found for operation in step.operations][:-1] == [
        rescale,
        first,
        pad,
        rescale,
        mine,
        first,
    ]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("processes", [False, True])
def test_pipelines_give_the_same_rows(workers: int, processes: bool) -> None:
    images = [image(3), image(3)[:7], image(3, "float32")]
    operations = [vision.HorizontalFlip(), *OF_COLOURS["scaled"]]
    data = ds.GeneratorDataset(lambda: ((row,) for row in images), ["image"], shuffle=False)
    data = data.map(operations, "image", num_parallel_workers=workers, python_multiprocessing=processes)
    rows = [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert len(rows) == len(images)
    for row, source in zip(rows, images, strict=True):
        assert_same(row, one_by_one(operations, source))


def test_an_error_names_the_operation_that_raises() -> None:
    data = ds.NumpySlicesDataset({"image": np.zeros((2, 4, 4, 3), np.uint8)}, shuffle=False)
    data = data.map(
        [vision.HorizontalFlip(), vision.Rescale(1.0, 0.0), vision.Normalize([0.0, 0.0], [1.0, 1.0]), vision.HWC2CHW()]
    )
    with pytest.raises(RuntimeError, match=r"Normalize.*row 0.*expected an image with 2 channels"):
        list(data.create_tuple_iterator(num_epochs=1))
