"""The laws of datasets for every transformation, and for each further thing that may go wrong.

A transformation is held to them with its required arguments alone; it has a row, under its name, where those do not do.
"""

import numpy as np
import pytest
from dataset_laws import check_dataset, transformations, transformed

import sporax.dataset as ds
from sporax.dataset import transforms, vision


def numbers(size=10, **options):
    return ds.NumpySlicesDataset({"a": np.arange(size), "b": np.arange(size) * 0.5}, **options)


def listed(size=10, **options):
    return ds.GeneratorDataset([(i, i * 0.5) for i in range(size)], ["a", "b"], **options)


def images(size=7):
    pixels = np.random.RandomState(0).randint(0, 256, (size, 8, 9, 3)).astype(np.uint8)
    return ds.NumpySlicesDataset((pixels, np.arange(size)), ["image", "label"])


def ragged():
    return ds.GeneratorDataset([(np.arange(i % 4 + 1),) for i in range(9)], ["q"])


def stream():
    for i in range(7):
        yield i, i * 0.5


AUGMENT = [
    vision.RandomCrop((8, 9), 2),
    vision.RandomHorizontalFlip(),
    vision.RandomColorAdjust(0.4, 0.4, 0.4, 0.1),
    vision.RandomRotation(20),
    transforms.RandomApply([vision.Invert()]),
    transforms.RandomChoice([vision.Invert(), vision.CutOut(2)]),
    transforms.RandomOrder([vision.CutOut(2), vision.RandomVerticalFlip()]),
    vision.RandomResizedCrop((6, 5)),
    vision.ToTensor(),
    vision.RandomErasing(),
]
ROWS = {
    "slices": numbers,
    "slices_in_order": lambda: numbers(shuffle=False),
    "generator": listed,
    "generator_function": lambda: ds.GeneratorDataset(stream, ["a", "b"]),
    "generator_iterable": lambda: ds.GeneratorDataset({3: 0, 4: 0, 5: 0}.keys(), "a"),
    "generator_object": lambda: ds.GeneratorDataset(stream(), ["a", "b"]),
    "batch_sampler": lambda: ds.GeneratorDataset([1, 2, 3], "a", batch_sampler=[[2, 1], [0]]),
    "num_samples": lambda: numbers(num_samples=4),
    "shard": lambda: numbers(num_shards=3, shard_id=2),
    "subset_random": lambda: numbers(sampler=ds.SubsetRandomSampler([1, 5, 7, 2])),
    "weighted": lambda: numbers(4, sampler=ds.WeightedRandomSampler([1, 2, 3, 4], 3)),
    "user_sampler": lambda: numbers(sampler=[3, 1, 1]),
    "padded_dataset": lambda: ds.PaddedDataset([{"a": np.zeros(2)}, {"a": np.ones(2)}]),
    "map": lambda: numbers().map(lambda a: a + 1, "a"),
    "map_batched": lambda: numbers().map([transforms.TypeCast("int32"), transforms.OneHot(10)], "a"),
    "map_random": lambda: images().map(AUGMENT, "image"),
    "map_split": lambda: numbers().map(lambda a: (a, a * 2), "a", ["c", "d"]),
    "batch_drop": lambda: numbers().batch(3, drop_remainder=True),
    "batch_rows": lambda: listed().batch(4),
    "batch_dynamic": lambda: listed().batch(lambda info: info.get_batch_num() + 1),
    "batch_dynamic_drop": lambda: listed(11).batch(lambda info: 3, drop_remainder=True),
    "per_batch_map": lambda: listed().batch(3, per_batch_map=lambda a, b, info: ([x + 1 for x in a], b)),
    "padded_batch": lambda: ragged().padded_batch(2, pad_info={"q": ([None], -1)}),
    "bucket_batch_by_length": lambda: ragged().bucket_batch_by_length("q", [3], [2, 3]),
    "shuffle_rows": lambda: listed().shuffle(4),
    "shuffle_gathered": lambda: numbers().shuffle(4).batch(3),
    "repeat": lambda: numbers(4).repeat(3),
    "repeat_batch": lambda: numbers(4).repeat(3).batch(5),
    "repeat_rows_batch": lambda: listed(4).repeat(3).batch(5),
    "take": lambda: numbers().take(4),
    "take_batch": lambda: numbers().take(5).batch(2),
    "take_endless": lambda: numbers(3).repeat().take(8),
    "skip_rows": lambda: listed().skip(4),
    "skip_batch": lambda: numbers().skip(3).batch(2),
    "zip": lambda: ds.zip((numbers(5), listed(4).rename(["a", "b"], ["c", "d"]))),
    "zip_batch": lambda: numbers(5).zip(numbers(4).rename(["a", "b"], ["c", "d"])).batch(2),
    "concat": lambda: numbers(3) + listed(4) + numbers(2),
    "project_batch": lambda: numbers().project(["b", "a"]).batch(4),
    "rename": lambda: numbers().rename("a", "z"),
    "filter": lambda: numbers().filter(lambda a: a % 3 != 0, "a"),
    "filter_shuffle": lambda: numbers().filter(lambda a: a % 3 != 0, "a").shuffle(3).batch(2),
    "flat_map": lambda: numbers(3).flat_map(lambda a, b: ds.NumpySlicesDataset([int(a)] * (int(a) + 1), "q")),
    "split_first": lambda: numbers(shuffle=False).split([0.7, 0.3])[0],
    "split_mapped": lambda: numbers(shuffle=False).map(lambda a: a, "a").split([6, 4])[1],
    "apply": lambda: numbers().apply(lambda data: data.batch(2).repeat(2)),
    "sync_wait": lambda: numbers().sync_wait("a", 100),
    "sync_wait_batch": lambda: numbers().sync_wait("name", 100).batch(2),
    "endless_sizes_one_pass": lambda: numbers(3).repeat(2).repeat(2),
    "text": lambda: ds.NumpySlicesDataset(["one", "three", "two"]).batch(2),
}
PIPELINES = {name: lambda name=name: transformed(numbers(), name) for name in transformations()} | ROWS


@pytest.mark.parametrize("name", PIPELINES)
def test_laws(name):
    check_dataset(PIPELINES[name])
