"""What iterators over datasets give."""

from collections.abc import Iterator
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor
from mindspore.dataset import text, transforms, vision
from mindspore.dataset.transforms import py_transforms as older
from mindspore.dataset.vision import c_transforms, py_transforms


def _texts(values: Any) -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset({"text": values, "number": list(range(len(values)))}, shuffle=False)


def _first(data: Any, **options: Any) -> Any:
    return next(iter(data.create_dict_iterator(num_epochs=1, **options)))["text"]


def text_is_a_tensor() -> Any:
    """A column of text is a Tensor of string: its dtype, shape, array, and how it prints."""
    x = _first(_texts(["x", "yy"]))
    return (
        isinstance(x, Tensor),
        x.dtype == ms.string,
        x.dtype,
        x.shape,
        len(x.shape),
        x,
        repr(x),
        str(x),
        f"{x}",
        x.size,
    )


def text_in_batches() -> Any:
    """Batches of text, bytes, and rows of several texts."""
    batch = _first(_texts(["x", "yy", "zzz"]).batch(3))
    rows = _texts([["x", "yy"], ["z", "w"]])
    found = [batch, _first(_texts(np.array([b"x", b"yy"]))), _first(rows), _first(rows.batch(2))]
    return [(x, repr(x), str(x)) for x in found], len(batch), batch.asnumpy().shape


def text_as_arrays() -> Any:
    """`output_numpy` gives arrays."""
    x = _first(_texts(["x", "yy"]), output_numpy=True)
    return type(x) is np.ndarray, x, _first(_texts(np.array([b"x"])), output_numpy=True)


def text_of_generators_and_operations() -> Any:
    """Text that generators and operations give; tuples, iteration and dictionaries."""

    def rows() -> Iterator[Any]:
        yield np.array(["hello", "wörld"]), "hi"

    def shout(x: Any) -> Any:
        return np.array(str(x) + "!")

    generated = ds.GeneratorDataset(rows, ["text", "other"])
    tokens = _texts(["x yy z"]).map(text.WhitespaceTokenizer(), "text")
    found = [_first(generated), _first(tokens), _first(_texts(["x"]).map(shout, "text"))]
    found += next(iter(generated.create_tuple_iterator(num_epochs=1)))
    found += next(iter(_texts(['it\'s "q"\n'])))
    return [(x, repr(x)) for x in found]


def much_text_in_short() -> Any:
    """A long Tensor of text prints its ends; one of medium length breaks its lines."""
    return [repr(_first(_texts([f"x{i}" for i in range(n)]).batch(n))) for n in (1500, 40)]


def tensors_of_text() -> Any:
    """A NumPy array of text makes a Tensor."""
    made = [Tensor(np.array(["x", "yy"])), Tensor.from_numpy(np.array(["x"])), Tensor(np.array([b"q"]))]
    return [(x, repr(x)) for x in made]


def a_tensor_of_a_python_string() -> Any:
    """A Python string makes none."""
    return Tensor("x")


def a_tensor_of_python_strings() -> Any:
    """Nor do several."""
    return Tensor(["x", "y"])


def text_has_no_operators() -> Any:
    """Arithmetic with text is a TypeError."""
    x = _first(_texts(["x"]))
    return x + x


def text_is_not_indexed() -> Any:
    """So is an index."""
    return _first(_texts(["x", "y"]).batch(2))[0]


def text_equals_nothing() -> Any:
    """A comparison with a Python string is False."""
    return _first(_texts(["x"])) == "x"


def fake_images() -> Any:
    """FakeImageDataset's images and labels, by size, classes, seed and sampler."""
    found = []
    shards, seeded = {"num_shards": 2, "shard_id": 1}, {"base_seed": 3, "num_classes": 4}
    for options in ({}, seeded, {"base_seed": -1}, {"sampler": ds.SubsetSampler([2, 0])}, shards):
        if "sampler" not in options:
            options["shuffle"] = False
        data = ds.FakeImageDataset(num_images=5, image_size=(3, 5, 3), **options)
        rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
        found.append(([(row["image"], row["label"]) for row in rows], data.get_dataset_size(), data.get_col_names()))
    return found, data.output_shapes()


def fake_images_of_a_shuffled_set() -> Any:
    """Their order after `set_seed`."""
    ds.config.set_seed(5)
    data = ds.FakeImageDataset(num_images=9, image_size=(1, 1, 1))
    return [row["label"] for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def fake_images_of_no_size() -> Any:
    """A size of two numbers is an error."""
    return ds.FakeImageDataset(2, (2, 2))


def fake_images_of_a_number() -> Any:
    """A size that is a number is an error."""
    return ds.FakeImageDataset(2, 2)


def no_fake_images() -> Any:
    """No images are an error."""
    return ds.FakeImageDataset(0)


def padded_batches_of_growing_size() -> Any:
    """A function may say how many rows a padded batch has."""
    rows = ds.GeneratorDataset([np.ones(i + 1, np.int32) for i in range(7)], ["a"], shuffle=False)
    data = rows.padded_batch(lambda info: info.get_batch_num() + 1, drop_remainder=True, pad_info={})
    return [batch["a"] for batch in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def operations_on_a_device() -> Any:
    """Operations on images take where they should run."""
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    found = []
    for target in ("CPU", "GPU", 1):
        try:
            found.append(vision.HorizontalFlip().device(target)(image))
        except (TypeError, ValueError) as error:
            found.append(type(error).__name__)
    return found


def tensors_of_numpy_print_as_numpy() -> Any:
    """Tensors of iterators and of `from_numpy` print their elements as NumPy does, what is computed of them does not."""
    a = np.array([1.25, 1e-9], np.float32)
    made = Tensor.from_numpy(a)
    row = next(ds.NumpySlicesDataset([a[None], np.ones((1, 2, 2))], shuffle=False).create_tuple_iterator())
    more = [np.array(0.0), np.array(3), np.array([1, 200]), np.array([True]), np.array([1 + 2j]), np.zeros((0, 2))]
    return (
        repr(row),
        [repr(t) for t in (made, Tensor(made), made.astype(ms.float32), Tensor(a), made + 0, made.reshape(2, 1))],
        [repr(Tensor.from_numpy(x)) for x in more],
        repr(Tensor.from_numpy(np.arange(3000.0).reshape(3, 1000))),
        str(made),
    )


_IMAGE = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)


def _kinds(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_kinds(item) for item in value]
    return (str(value.dtype), value.shape) if isinstance(value, np.ndarray) else type(value).__name__


def compose_called_by_itself() -> Any:
    """A tuple if an operation is one of Python's, or of a Pillow image; else the result."""
    image = vision.ToPIL()(_IMAGE)
    calls = [
        ([vision.HWC2CHW()], _IMAGE),
        ([vision.HWC2CHW(), lambda x: x + 1], _IMAGE),
        ([lambda x: x + 1], _IMAGE),
        ([vision.ToTensor(), vision.Normalize([0.5], [0.5], is_hwc=False)], image),
        ([vision.ToPIL(), vision.Resize(4)], _IMAGE),
        ([vision.ToPIL(), vision.ToTensor()], _IMAGE),
        ([vision.RandomErasing(0.0)], _IMAGE.transpose(2, 0, 1)),
        ([vision.RgbToHsv()], _IMAGE.transpose(2, 0, 1)),
        ([transforms.RandomOrder([vision.HWC2CHW()])], _IMAGE),
        ([transforms.Compose([vision.ToPIL()])], _IMAGE),
        ([transforms.TypeCast(ms.float32)], _IMAGE),
        ([vision.FiveCrop(2)], image),
    ]
    return [_kinds(transforms.Compose(operations)(given)) for operations, given in calls]


def older_operations_on_images() -> Any:
    """`py_transforms` takes channels first and keeps dtypes; `c_transforms.Decode` gives an array."""
    image = py_transforms.ToTensor()(_IMAGE)
    normalize = py_transforms.Normalize([0.5] * 3, [0.25] * 3)
    return [
        image,
        _kinds(py_transforms.ToTensor(np.float64)(_IMAGE)),
        normalize(image),
        _kinds(normalize(image.astype(np.float64))),
        py_transforms.Normalize([0.5], [0.25])(image),
        _kinds(py_transforms.NormalizePad([0.5] * 3, [0.25] * 3, "float16")(image)),
        py_transforms.RgbToBgr()(_IMAGE.transpose(2, 0, 1)),
        c_transforms.RgbToBgr()(_IMAGE),
        _kinds(py_transforms.ToType(np.float16)(_IMAGE)),
        _kinds(py_transforms.HWC2CHW()(_IMAGE)),
        py_transforms.Cutout(9)(np.ones((3, 9, 9))).shape,
        older.OneHotOp(3)(np.array(1)),
        _kinds(older.OneHotOp(3)(np.array(1))),
        older.OneHotOp(3, 0.1)(np.array([1, 2])),
        _kinds(older.Compose([py_transforms.ToPIL(), py_transforms.Resize(4)])(_IMAGE)),
    ]


def older_operations_in_a_pipeline() -> Any:
    """A list of them, and a Compose."""
    steps = [py_transforms.ToPIL(), py_transforms.ToTensor(), py_transforms.Normalize([0.5] * 3, [0.25] * 3)]
    found = []
    for operations in (steps, older.Compose(steps)):
        data = ds.NumpySlicesDataset({"image": [_IMAGE]}, shuffle=False).map(operations, "image")
        found.append(next(iter(data.create_dict_iterator(num_epochs=1, output_numpy=True)))["image"])
    return found


def older_operations_that_fail() -> Any:
    """What they cannot take: integers, channels last, and no image."""
    calls: list[Any] = [
        lambda: py_transforms.Normalize([0.5] * 3, [0.5] * 3)(_IMAGE),
        lambda: py_transforms.Normalize([0.5, 0.5], [0.5, 0.5])(np.ones((3, 2, 2))),
        lambda: py_transforms.Normalize([0.5] * 3, [0.5] * 3)(np.ones(3)),
        lambda: py_transforms.Normalize([127.5] * 3, [127.5] * 3),
        lambda: py_transforms.ToTensor()(b"x"),
        lambda: py_transforms.HWC2CHW()(py_transforms.ToPIL()(_IMAGE)),
        lambda: py_transforms.Decode()(_IMAGE),
        lambda: py_transforms.RgbToBgr()(_IMAGE),
        lambda: c_transforms.Decode(rgb=False)(np.zeros(3, np.uint8)),
        lambda: older.OneHotOp(3)(1),
        lambda: older.OneHotOp(3)(np.array(5)),
        lambda: older.OneHotOp(3)(np.array(1.0)),
    ]
    return [_error(call) for call in calls]


def _error(call: Any) -> str:
    try:
        return str(type(call()))
    except Exception as error:
        return type(error).__name__
