"""Record what MindSpore's dataset pipeline does, as data for ``tests/data/laws/test_goldens.py``.

Run with a Python that has ``mindspore==2.7.0``::

    python tools/goldens/dataset.py tests/goldens/dataset.json

Every case is a function of the three modules (``dataset``, ``transforms``, ``vision``), so the tests run the
same functions on sporax and compare with the recorded answers.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

Case = Callable[[], Any]


def _epochs(data: Any, count: int = 1) -> list[list[Any]]:
    """Return `count` epochs of `data` through one iterator, as nested lists."""
    rows = data.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[[value.tolist() for value in row] for row in rows] for _ in range(count)]


def _range(ds: Any, size: int = 10, **options: Any) -> Any:
    return ds.NumpySlicesDataset(np.arange(size), ["a"], **options)


def _pair(ds: Any, size: int = 6) -> Any:
    return ds.NumpySlicesDataset({"a": np.arange(size), "b": np.arange(size) * 0.5}, shuffle=False)


def _ragged(ds: Any) -> Any:
    return ds.GeneratorDataset(lambda: ((np.arange(i + 1),) for i in range(5)), ["q"])


def order_cases(ds: Any) -> dict[str, Case]:
    """Return the cases that fix which row comes when, under seed 1."""

    def sampled(sampler: Any, size: int = 10) -> Case:
        return lambda: _epochs(_range(ds, size, sampler=sampler()), 3)

    def sharded(shard: int, shuffle: bool) -> Case:
        return lambda: _epochs(_range(ds, num_shards=3, shard_id=shard, shuffle=shuffle), 3)

    def chain() -> Any:
        parent = ds.RandomSampler(num_samples=3)
        parent.add_child(ds.SequentialSampler(2, 5))
        return parent

    weights = [0.1, 0.2, 0.3, 0.1, 0.3]
    cases: dict[str, Case] = {
        "order/default": lambda: _epochs(_range(ds), 3),
        "order/odd": lambda: _epochs(_range(ds, 17), 2),
        "order/large": lambda: [row[0] for row in _epochs(_range(ds, 66000))[0]][:50],
        "order/num_samples": lambda: _epochs(_range(ds, num_samples=4), 3),
        "order/sequential": sampled(lambda: ds.SequentialSampler(3, 4)),
        "order/random": sampled(lambda: ds.RandomSampler(num_samples=6)),
        "order/random_replacement": sampled(lambda: ds.RandomSampler(True, 6)),
        "order/subset": sampled(lambda: ds.SubsetSampler([1, 3, 5, 7, 8, 2], 4)),
        "order/subset_random": sampled(lambda: ds.SubsetRandomSampler([1, 3, 5, 7, 8, 2])),
        "order/weighted": sampled(lambda: ds.WeightedRandomSampler(weights, 8), 5),
        "order/weighted_once": sampled(lambda: ds.WeightedRandomSampler(weights, 4, False), 5),
        "order/chain": sampled(chain),
        "order/offset": sampled(lambda: ds.DistributedSampler(3, 1, False, offset=1)),
        "order/list": sampled(lambda: [4, 2, 2]),
        "order/generator_repeat": lambda: _epochs(ds.GeneratorDataset(list(range(6)), ["a"]).repeat(2), 2),
        "order/shuffle": lambda: _epochs(_range(ds, shuffle=False).shuffle(4), 3),
        "order/shuffle_all": lambda: _epochs(_range(ds, shuffle=False).shuffle(10).repeat(2), 2),
        "order/split": lambda: [_epochs(part, 2) for part in _range(ds, shuffle=False).split([6, 4])],
        "order/split_shuffled": lambda: [_epochs(part, 2) for part in _range(ds).split([0.6, 0.4])],
        "order/split_in_order": lambda: [_epochs(part, 2) for part in _range(ds, shuffle=False).split([7, 3], False)],
        "order/split_mapped": lambda: [
            _epochs(part, 2) for part in _range(ds, shuffle=False).map(lambda x: x, "a").split([6, 4])
        ],
    }
    for shard in range(3):
        cases[f"order/shard_{shard}"] = sharded(shard, True)
        cases[f"order/shard_{shard}_in_order"] = sharded(shard, False)
    return cases


def pipeline_cases(ds: Any) -> dict[str, Case]:
    """Return the cases that fix what each transformation does to rows, names and sizes."""

    def facts(data: Any) -> list[Any]:
        return [
            data.get_col_names(),
            data.get_dataset_size(),
            data.get_batch_size(),
            data.get_repeat_count(),
            [list(shape) for shape in data.output_shapes()],
            [str(kind) for kind in data.output_types()],
        ]

    def both(build: Callable[[], Any]) -> Case:
        return lambda: [facts(build()), _epochs(build())]

    samples = [(np.array([i]), np.array(i)) for i in range(6)]
    groups = [[0, 1], [2], [4, 5, 3]]
    return {
        "pipeline/batch": both(lambda: _pair(ds).batch(4)),
        "pipeline/batch_drop": both(lambda: _pair(ds).batch(4, True)),
        "pipeline/batch_twice": both(lambda: _pair(ds).batch(2).batch(2)),
        "pipeline/batch_dynamic": both(lambda: _pair(ds, 7).batch(lambda info: info.get_batch_num() + 1)),
        "pipeline/batch_dynamic_drop": both(lambda: _pair(ds, 7).batch(lambda info: 3, True)),
        "pipeline/per_batch_map": both(
            lambda: _pair(ds).batch(2, per_batch_map=lambda a, b, info: ([x + info.get_batch_num() for x in a], b))
        ),
        "pipeline/per_batch_map_columns": both(
            lambda: _pair(ds).batch(
                2, per_batch_map=lambda a, info: (a, a), input_columns=["a"], output_columns=["c", "d"]
            )
        ),
        "pipeline/padded": both(lambda: _ragged(ds).padded_batch(2, pad_info={"q": ([6], -1)})),
        "pipeline/padded_to_longest": both(lambda: _ragged(ds).padded_batch(2, pad_info={})),
        "pipeline/padded_cut": both(lambda: _ragged(ds).padded_batch(2, True, pad_info={"q": ([2], -1)})),
        "pipeline/bucket": lambda: _epochs(_ragged(ds).bucket_batch_by_length(["q"], [3], [2, 2])),
        "pipeline/bucket_boundary": lambda: _epochs(
            _ragged(ds).bucket_batch_by_length(
                ["q"], [3, 6], [2, 2, 1], pad_info={"q": ([None], 7)}, pad_to_bucket_boundary=True, drop_remainder=True
            )
        ),
        "pipeline/repeat": both(lambda: _pair(ds, 2).repeat(2).batch(3)),
        "pipeline/repeat_epochs": lambda: _epochs(_pair(ds, 2).repeat(2), 2),
        "pipeline/take": both(lambda: _pair(ds).take(2)),
        "pipeline/take_more": both(lambda: _pair(ds).take(9)),
        "pipeline/skip": both(lambda: _pair(ds).skip(4)),
        "pipeline/zip": both(lambda: ds.zip((_pair(ds, 3), _pair(ds, 2).rename(["a", "b"], ["c", "d"])))),
        "pipeline/concat": both(lambda: _pair(ds, 2) + _pair(ds, 1)),
        "pipeline/project": both(lambda: _pair(ds, 2).project(["b", "a"])),
        "pipeline/rename": both(lambda: _pair(ds, 2).rename("a", "z")),
        "pipeline/filter": both(lambda: _pair(ds).filter(lambda a: a % 2 == 0, "a")),
        "pipeline/filter_all": both(lambda: _pair(ds).filter(lambda a, b: a + b > 3)),
        "pipeline/flat_map": lambda: _epochs(
            _pair(ds, 2).flat_map(lambda a, b: ds.NumpySlicesDataset([int(a), int(a) + 10], ["q"], shuffle=False))
        ),
        "pipeline/map_first": both(lambda: _pair(ds, 2).map(lambda a: a + 1)),
        "pipeline/map_many": both(lambda: _pair(ds, 2).map(lambda a: (a, a * 2), "a", ["c", "d"])),
        "pipeline/map_join": both(lambda: _pair(ds, 2).map(lambda b, a: a + b, ["b", "a"], "c")),
        "pipeline/map_list": both(lambda: _pair(ds, 2).map([lambda a: a + 1, lambda a: [a, a]], "a")),
        "pipeline/batch_sampler": both(lambda: ds.GeneratorDataset(samples, ["a", "b"], batch_sampler=groups)),
        "pipeline/collate": both(
            lambda: ds.GeneratorDataset(
                samples, ["a", "b"], batch_sampler=groups, collate_fn=lambda a, b: (np.stack(a).sum(0), np.stack(b))
            )
        ),
    }


def _image(seed: int = 0, shape: tuple[int, ...] = (7, 9, 3)) -> np.ndarray:
    return np.random.RandomState(seed).randint(0, 256, shape).astype(np.uint8)


def transform_cases(transforms: Any) -> dict[str, Case]:
    """Return the deterministic transforms of plain arrays."""
    T, ramp = transforms, np.arange(6, dtype=np.int32).reshape(2, 3)
    calls: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "type_cast": (T.TypeCast(np.float32), (ramp,)),
        "type_cast_int": (T.TypeCast("int8"), (np.array([1.7, -1.7, 3.2]),)),
        "one_hot": (T.OneHot(4), (np.array(2),)),
        "one_hot_vector": (T.OneHot(4), (np.array([0, 3]),)),
        "one_hot_single": (T.OneHot(4), (np.array([2]),)),
        "one_hot_column": (T.OneHot(4), (np.array([[2], [0]]),)),
        "one_hot_smooth": (T.OneHot(4, 0.1), (np.array(2),)),
        "fill": (T.Fill(3), (ramp,)),
        "pad_end": (T.PadEnd([3, 4], -1), (ramp,)),
        "pad_end_cut": (T.PadEnd([1, 5]), (ramp,)),
        "concatenate": (T.Concatenate(0, np.array([7], np.int32), np.array([8, 9], np.int32)), (ramp[0],)),
        "duplicate": (T.Duplicate(), (ramp,)),
        "unique": (T.Unique(), (np.array([[3, 1, 3], [2, 1, 0]]),)),
        "mask_cast": (T.Mask(T.Relational.LE, 3.5), (ramp,)),
        "mask": (T.Mask(T.Relational.GE, 3), (ramp,)),
        "slice": (T.Slice(slice(1, 2), slice(0, 3, 2)), (ramp,)),
        "slice_list": (T.Slice([0, 2]), (ramp[0],)),
        "slice_int": (T.Slice(1), (ramp[1],)),
        "slice_all": (T.Slice(None, slice(0, 1)), (ramp,)),
        "compose": (T.Compose([T.Fill(2), T.TypeCast(np.float64)]), (ramp,)),
    }
    return {f"transform/{name}": (lambda op=op, args=args: _result(op(*args))) for name, (op, args) in calls.items()}


def vision_cases(vision: Any) -> dict[str, Case]:
    """Return the deterministic image transforms, on arrays and on Pillow images."""
    V, image, gray = vision, _image(), _image(1, (6, 5))
    real = (image / 255).astype(np.float32)
    mean, std = [121.0, 115.0, 100.0], [70.0, 68.0, 71.0]
    calls: dict[str, tuple[Any, np.ndarray]] = {
        "rescale": (V.Rescale(1 / 255, -0.5), image),
        "rescale_real": (V.Rescale(2.0, 1.0), real),
        "normalize": (V.Normalize(mean, std), image),
        "normalize_real": (V.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4]), real),
        "normalize_chw": (V.Normalize(mean, std, is_hwc=False), image.transpose(2, 0, 1).copy()),
        "normalize_gray": (V.Normalize([120.0], [70.0]), gray[:, :, None].copy()),
        "normalize_pad": (V.NormalizePad(mean, std), image),
        "normalize_pad_half": (V.NormalizePad(mean, std, "float16"), image),
        "hwc2chw": (V.HWC2CHW(), image),
        "to_tensor": (V.ToTensor(), image),
        "to_tensor_gray": (V.ToTensor(), gray),
        "to_tensor_half": (V.ToTensor(np.float16), image),
        "to_type": (V.ToType(np.float64), image),
        "center_crop": (V.CenterCrop((4, 5)), image),
        "center_crop_larger": (V.CenterCrop((10, 4)), image),
        "crop": (V.Crop((1, 2), (3, 4)), image),
        "horizontal_flip": (V.HorizontalFlip(), image),
        "vertical_flip": (V.VerticalFlip(), image),
        "flip_always": (V.RandomHorizontalFlip(1.0), image),
        "invert": (V.Invert(), image),
        "pad": (V.Pad((1, 2, 3, 4), 9), image),
        "pad_gray": (V.Pad(2, 7), gray),
        "pad_colour": (V.Pad(1, (1, 2, 3)), image),
        "pad_edge": (V.Pad((2, 1), 0, V.Border.EDGE), image),
        "pad_reflect": (V.Pad(2, 0, V.Border.REFLECT), image),
        "pad_symmetric": (V.Pad(2, 0, V.Border.SYMMETRIC), image),
    }
    for name in ("NEAREST", "BILINEAR", "BICUBIC", "AREA"):
        for size in ((14, 18), (5, 6), (3, 20), 5, (4, 4)):
            calls[f"resize_{name}_{size}"] = (V.Resize(size, getattr(V.Inter, name)), image)
        calls[f"resize_real_{name}"] = (V.Resize((5, 12), getattr(V.Inter, name)), real)
        calls[f"resize_gray_{name}"] = (V.Resize((4, 11), getattr(V.Inter, name)), gray)
    calls["resize_half"] = (V.Resize((4, 5)), _image(3, (8, 10, 3)))
    cases: dict[str, Case] = {
        f"vision/{name}": (lambda op=op, array=array: _result(op(array))) for name, (op, array) in calls.items()
    }
    for name, op in {
        "resize": V.Resize((5, 6)),
        "resize_short": V.Resize(5, V.Inter.BICUBIC),
        "center_crop": V.CenterCrop(4),
        "resize_antialias": V.Resize((3, 4), V.Inter.ANTIALIAS),
        "pad": V.Pad((1, 2), 5),
        "to_tensor": V.ToTensor(),
        "pad_edge": V.Pad(1, 0, V.Border.EDGE),
        "grayscale": V.Grayscale(),
        "grayscale3": V.Grayscale(3),
        "flip": V.RandomHorizontalFlip(1.0),
        "invert": V.Invert(),
    }.items():
        cases[f"vision/pil_{name}"] = lambda op=op: _result(np.asarray(op(V.ToPIL()(image))))
    return cases


def _changes(vision: Any) -> dict[str, Any]:
    """Return random operations whose ranges leave nothing to chance."""
    V = vision
    return {
        "brightness": V.RandomColorAdjust(brightness=(1.4, 1.4)),
        "contrast": V.RandomColorAdjust(contrast=(0.6, 0.6)),
        "saturation": V.RandomColorAdjust(saturation=(1.7, 1.7)),
        "hue": V.RandomColorAdjust(hue=(0.2, 0.2)),
        "rotate_right": V.RandomRotation((90, 90), expand=True),
        "rotate": V.RandomRotation((30, 30)),
        "crop_whole": V.RandomCrop((7, 9)),
        "crop_pad_needed": V.RandomCrop((7, 9), pad_if_needed=True),
    }


def change_cases(vision: Any) -> dict[str, Case]:
    """Return those operations on one image."""
    return {f"change/{name}": (lambda op=op: _result(op(_image()))) for name, op in _changes(vision).items()}


def write_files(folder: str) -> None:
    """Write small sets in the formats of the readers."""
    from PIL import Image

    rng = np.random.RandomState(5)

    def idx(name: str, values: np.ndarray) -> None:
        head = [0x0800 + values.ndim, *values.shape]
        with open(f"{folder}/mnist/{name}", "wb") as file:
            file.write(b"".join(number.to_bytes(4, "big") for number in head) + values.tobytes())

    for name in ("mnist", "cifar10", "cifar100", "images/cat", "images/dog", "images/ant"):
        os.makedirs(f"{folder}/{name}")
    for part, size in (("train", 6), ("t10k", 3)):
        idx(f"{part}-images-idx3-ubyte", rng.randint(0, 256, (size, 28, 28)).astype(np.uint8))
        idx(f"{part}-labels-idx1-ubyte", rng.randint(0, 10, size).astype(np.uint8))
    for path, width in (("cifar10/test_batch.bin", 3073), ("cifar100/test.bin", 3074)):
        rows = np.frombuffer(rng.bytes(10000 * width), np.uint8).reshape(10000, width).copy()  # the size it must have
        rows[:, : width - 3072] %= 10
        rows.tofile(f"{folder}/{path}")
    for number, name in enumerate(("cat/1.png", "cat/0.png", "dog/b.png", "ant/a.png", "ant/c.bmp", "ant/b.png")):
        Image.fromarray(_image(number, (4, 5, 3))).save(f"{folder}/images/{name}")


def reader_cases(ds: Any, folder: str) -> dict[str, Case]:
    """Return the cases of the readers, on the files of `write_files`."""

    def digest(data: Any) -> list[Any]:
        rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        found = [[[str(v.dtype), list(v.shape), int(v.astype(np.int64).sum())] for v in row] for row in rows]
        return [data.get_dataset_size(), data.get_col_names(), found]

    def case(kind: str, place: str, *arguments: Any, **options: Any) -> Case:
        return lambda: digest(getattr(ds, kind)(f"{folder}/{place}", *arguments, **options))

    return {
        "reader/mnist": case("MnistDataset", "mnist", shuffle=False),
        "reader/mnist_train": case("MnistDataset", "mnist", "train"),
        "reader/fashion_test": case("FashionMnistDataset", "mnist", "test", shuffle=False),
        "reader/cifar10": lambda: digest(ds.Cifar10Dataset(f"{folder}/cifar10", "test", shuffle=False).take(3)),
        "reader/cifar10_some": case("Cifar10Dataset", "cifar10", "test", num_samples=4),
        "reader/cifar100": lambda: digest(ds.Cifar100Dataset(f"{folder}/cifar100", "test", shuffle=False).take(3)),
        "reader/folder_count": lambda: ds.ImageFolderDataset(f"{folder}/images").num_classes(),
        "reader/folder": case("ImageFolderDataset", "images", shuffle=False),
        "reader/folder_decoded": case("ImageFolderDataset", "images", shuffle=False, decode=True),
        "reader/folder_classes": case(
            "ImageFolderDataset", "images", shuffle=False, decode=True, class_indexing={"dog": 0, "cat": 7}
        ),
        "reader/folder_endings": case("ImageFolderDataset", "images", shuffle=False, extensions=[".png"]),
        "reader/folder_pk": lambda: digest(
            ds.ImageFolderDataset(f"{folder}/images", sampler=ds.PKSampler(2), decode=True)
        ),
        "reader/folder_pk_shuffled": lambda: digest(
            ds.ImageFolderDataset(f"{folder}/images", sampler=ds.PKSampler(3, shuffle=True), decode=True)
        ),
        "reader/folder_pk_epochs": lambda: _epochs(
            ds.ImageFolderDataset(f"{folder}/images", sampler=ds.PKSampler(2, shuffle=True), decode=True).map(
                lambda image: np.array(image.astype(np.int64).sum()), "image"
            ),
            3,
        ),
        "reader/folder_indexing": lambda: ds.ImageFolderDataset(f"{folder}/images").get_class_indexing(),
        "reader/mnist_batch": lambda: digest(ds.MnistDataset(f"{folder}/mnist", "train", shuffle=False).batch(4)),
    }


def _result(value: Any) -> Any:
    """Return arrays with their types; floats keep all their digits in JSON."""
    if isinstance(value, (tuple, list)):
        return [_result(item) for item in value]
    array = np.asarray(value)
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": array.tolist()}


def cases(dataset: Any, transforms: Any, vision: Any, folder: str) -> dict[str, Case]:
    """Return every case by name, bound to one implementation's modules; `folder` holds the files of `write_files`."""
    return {
        **order_cases(dataset),
        **pipeline_cases(dataset),
        **transform_cases(transforms),
        **vision_cases(vision),
        **change_cases(vision),
        **reader_cases(dataset, folder),
    }


def main(path: str) -> None:
    """Run every case on MindSpore and write the answers to `path`."""
    import mindspore.dataset as ds
    from mindspore.dataset import transforms, vision

    ds.config.set_seed(1)
    recorded, failed = {}, {}
    folder = tempfile.mkdtemp()
    write_files(folder)
    for name, case in cases(ds, transforms, vision, folder).items():
        try:
            recorded[name] = case()
        except Exception as error:  # a case MindSpore refuses is recorded by the type it raises
            recorded[name] = {"raises": type(error).__name__}
            failed[name] = str(error).splitlines()[-1][:150]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(recorded, file, separators=(",", ":"))
        file.write("\n")
    print(f"{len(recorded)} cases written to {path}; refused by MindSpore: {failed}")


if __name__ == "__main__":
    main(sys.argv[1])
