"""Random pipelines with every kind of worker, read on from positions that were saved: the rows are the same bit for bit."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

import sporax.dataset as ds
from sporax.dataset import transforms, vision

ENGINES = [(1, False), (2, False), (4, False), (1, True), (2, True), (4, True)]  # workers, processes
Build = Callable[[int, bool], Any]
Step = Callable[[Any, int, bool], Any]


class Numbered:
    """A source of images, numbers and texts."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        image = (np.arange(4 * 5 * 3, dtype=np.uint8) * (index + 1)).reshape(4, 5, 3)
        return image, np.array(index, np.int64), f"row {index}"


def source(random: Random, workers: int, processes: bool) -> Any:
    """Return a source with a sampler."""
    rows = random.randint(3, 70)
    chosen = random.choice(["shuffled", "in order", "subset", "weighted", "shard", "batches"])
    options: dict[str, Any] = {"num_parallel_workers": workers, "python_multiprocessing": processes}
    if chosen == "shuffled":
        options["shuffle"] = True
    elif chosen == "in order":
        options["shuffle"] = False
    elif chosen == "subset":
        options["sampler"] = ds.SubsetRandomSampler([random.randrange(rows) for _ in range(rows)])
    elif chosen == "weighted":
        options["sampler"] = ds.WeightedRandomSampler([random.random() + 0.1 for _ in range(rows)], rows)
    elif chosen == "shard":
        options |= {"num_shards": 2, "shard_id": random.randrange(2), "shuffle": random.random() < 0.5}
    else:
        numbers = list(range(rows))
        random.shuffle(numbers)
        groups = [numbers[k : k + 1] for k in range(rows)]
        options["batch_sampler"] = groups
        options["collate_fn"] = lambda *columns: tuple(np.asarray(column[0]) for column in columns)
    return ds.GeneratorDataset(Numbered(rows), ["image", "number", "text"], **options)


def augmented(random: Random) -> Step:
    """Return a map with draws."""
    operations = [
        [vision.RandomHorizontalFlip(0.5)],
        [vision.RandomCrop(3)],
        [transforms.RandomApply([vision.VerticalFlip()], 0.5)],
        [transforms.RandomChoice([vision.Invert(), vision.HorizontalFlip(), vision.VerticalFlip()])],
    ]
    chosen = [operation for group in random.sample(operations, random.randint(1, 2)) for operation in group]
    return lambda data, workers, processes: data.map(
        chosen, ["image"], num_parallel_workers=workers, python_multiprocessing=processes
    )


def computed(random: Random) -> Step:
    """Return two maps of Python functions; between them is a column of rows that differ in size."""
    factor = random.randint(2, 5)

    def ragged(image: Any, number: Any) -> tuple[Any, ...]:
        return image, number * factor, np.arange(int(number) % 4, dtype=np.float32)

    def summed(image: Any, number: Any, numbers: Any) -> tuple[Any, ...]:
        return image, number + int(numbers.sum())

    def step(data: Any, workers: int, processes: bool) -> Any:
        names, kind = ["image", "number"], {"num_parallel_workers": workers, "python_multiprocessing": processes}
        data = data.map(ragged, names, [*names, "ragged"], **kind)
        return data.map(summed, [*names, "ragged"], names, **kind).project([*names, "text"])

    return step


def plain(random: Random) -> Step:
    """Return a step that changes which rows come, or in which order."""
    kind = random.choice(["shuffle", "repeat", "take", "skip", "filter", "zip", "concat"])
    count = random.randint(2, 4)
    if kind == "shuffle":
        return lambda data, workers, processes: data.shuffle(count)
    if kind == "repeat":
        return lambda data, workers, processes: data.repeat(2)
    if kind == "take":
        return lambda data, workers, processes: data.take(3 * count)
    if kind == "skip":
        return lambda data, workers, processes: data.skip(1)
    if kind == "filter":
        return lambda data, workers, processes: data.filter(lambda number: number % count != 1, "number", workers)
    seed = random.random()
    if kind == "zip":
        return lambda data, workers, processes: ds.zip(
            (data, source(Random(seed), workers, processes).rename(["image", "number", "text"], ["i", "n", "t"]))
        ).project(["image", "number", "text"])
    return lambda data, workers, processes: data + source(Random(seed), workers, processes)


def batched(random: Random) -> Step:
    """Return a last step: batches, by a function or not; or none."""
    size, kind = random.randint(2, 4), random.choice(["none", "batch", "function"])
    if kind == "none":
        return lambda data, workers, processes: data

    def joined(numbers: Any, info: Any) -> tuple[Any, ...]:
        return (np.stack(numbers) + 100 * info.get_batch_num(),)

    if kind == "batch":
        return lambda data, workers, processes: data.project(["number", "text"]).batch(size)
    return lambda data, workers, processes: data.project(["number"]).batch(
        size, per_batch_map=joined, num_parallel_workers=workers, python_multiprocessing=processes
    )


def pipeline(random: Random) -> Build:
    """Return how to build a random pipeline with a number and a kind of workers."""
    seed = random.random()
    kinds = [augmented, computed, plain, plain]
    steps = [random.choice(kinds)(random) for _ in range(random.randint(1, 4))]
    steps.append(batched(random))

    def build(workers: int, processes: bool) -> Any:
        data = source(Random(seed), workers, processes)
        for step in steps:
            data = step(data, workers, processes)
        return data

    return build


def told(row: list[Any]) -> list[Any]:
    """Return a row so that two are equal only if every bit is."""
    return [(value.dtype.str, value.shape, value.tobytes()) for value in row]


def read(rows: Any, epochs: int) -> list[list[list[Any]]]:
    """Return the rows of the next epochs."""
    return [[told(row) for row in rows] for _ in range(epochs)]


def check(random: Random, engines: int = 3) -> dict[str, int]:
    """Read a random pipeline with some engines, and on from a random position with another one.

    Args:
        random: The source of the pipeline and of the positions.
        engines: How many of the kinds and numbers of workers to try.
    """
    with patch("os.cpu_count", return_value=4):  # datasets have no more workers than there are processors
        return _checked(random, engines)


def _checked(random: Random, engines: int) -> dict[str, int]:
    build = pipeline(random)
    expected = read(build(1, False).create_tuple_iterator(output_numpy=True), 2)
    resumed = 0
    for workers, processes in random.sample(ENGINES, engines):
        rows = build(workers, processes).create_tuple_iterator(output_numpy=True)
        assert read(rows, 2) == expected, (workers, processes)
        rows.stop()
        epoch = random.randrange(2)
        at = random.randint(0, len(expected[epoch]))
        rows = build(workers, processes).create_tuple_iterator(output_numpy=True)
        read(rows, epoch)
        for _ in range(at):
            next(rows)
        state = json.loads(json.dumps(rows.get_state()))
        rows.stop()
        other = random.choice(ENGINES)
        again = build(*other).create_tuple_iterator(output_numpy=True)
        again.set_state(state)
        assert [told(row) for row in again] == expected[epoch][at:], (workers, processes, state, other)
        if epoch == 0:
            assert read(again, 1) == expected[1:], (workers, processes, state, other)
        again.stop()
        resumed += 1
    return {"rows": sum(map(len, expected)), "resumed": resumed}
