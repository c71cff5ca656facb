"""A row is nobody else's: what a source or a function does with its arrays changes no other row, column or epoch."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from dataset_rows import values

import sporax.dataset as ds


def refilled() -> Iterator[tuple[np.ndarray]]:
    buffer = np.zeros(2)
    for number in range(3):
        buffer[:] = number
        yield (buffer,)


def numbers() -> ds.Dataset:
    return ds.NumpySlicesDataset(np.arange(3.0), ["a"], shuffle=False)


def increased(value: np.ndarray) -> np.ndarray:
    value += 1
    return value


class Refilling:
    """Returns one array again and again."""

    def __init__(self) -> None:
        self.buffer = np.zeros(1)

    def __call__(self, value: np.ndarray) -> np.ndarray:
        self.buffer[:] = value
        return self.buffer

    def of_batch(self, batch: list[np.ndarray], info: ds.BatchInfo) -> tuple[np.ndarray]:
        return (self(np.asarray(batch)),)


@pytest.mark.parametrize("is_called", [False, True])
@pytest.mark.parametrize(
    "change",
    [lambda data: data.repeat(2), lambda data: data + data, lambda data: data.map(increased).repeat(2)],
    ids=["repeat", "concat", "map"],
)
def test_a_generator_may_refill_its_array(is_called: bool, change: Callable[[ds.Dataset], ds.Dataset]) -> None:
    data = ds.GeneratorDataset(refilled() if is_called else refilled, ["a"], shuffle=False)
    assert values(data, epochs=2) == [[[0, 0], [1, 1], [2, 2]]] * 2
    rows = values(change(data))
    assert rows[:3] == rows[3:] and rows[2][0] - rows[0][0] == 2


def test_a_generator_may_refill_what_is_within_a_row() -> None:
    def nested() -> Iterator[tuple[dict[str, Any]]]:
        inner: dict[str, Any] = {"x": np.zeros(1), "more": {"y": np.zeros(1)}, "listed": [0]}
        for number in range(3):
            inner["x"][:] = inner["more"]["y"][:] = inner["listed"][0] = number
            yield (inner,)

    for source in (nested, nested()):
        data = ds.GeneratorDataset(source, ["a"], shuffle=False)
        for _ in range(2):
            rows = [row["a"] for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
            assert [(row["x"][0], row["more"]["y"][0], int(row["listed"][0])) for row in rows] == [
                (n, n, n) for n in range(3)
            ]


def test_a_predicate_may_write_to_what_it_takes() -> None:
    def positive(value: np.ndarray) -> bool:
        value *= 10
        return bool(value >= 0)

    assert values(numbers().filter(positive, ["a"])) == [0, 1, 2]
    assert values(numbers().filter(positive, ["a"], num_parallel_workers=2)) == [0, 1, 2]


def test_the_length_of_a_bucket_may_write_to_what_it_takes() -> None:
    def length(value: np.ndarray) -> int:
        value *= 0
        return 1

    data = ds.NumpySlicesDataset(np.arange(4.0).reshape(2, 2), ["a"], shuffle=False)
    data = data.bucket_batch_by_length(["a"], [5], [2, 2], element_length_function=length)
    assert values(data) == [[[0, 1], [2, 3]]]


@pytest.mark.parametrize("twice", [lambda a: (a, a), lambda a: (a, a[:1])], ids=["the same", "a view"])
def test_columns_from_one_array_are_two(twice: Callable[..., Any]) -> None:
    data = ds.NumpySlicesDataset(np.arange(4.0).reshape(2, 2), ["a"], shuffle=False)
    data = data.map(twice, ["a"], ["x", "z"]).map(increased, ["z"])
    assert values(data.project(["x"])) == [[0, 1], [2, 3]]


@pytest.mark.parametrize("processes", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_may_return_one_array_again_and_again(workers: int, processes: bool) -> None:
    options: dict[str, Any] = {"num_parallel_workers": workers, "python_multiprocessing": processes}
    mapped = numbers().map(Refilling(), ["a"], **options)
    assert [row[0].item() for row in list(mapped.create_tuple_iterator(num_epochs=1, output_numpy=True))] == [0, 1, 2]
    applied = numbers().map(ds.transforms.RandomApply([Refilling()], 1.0), ["a"], **options)
    assert [row[0].item() for row in list(applied.create_tuple_iterator(num_epochs=1, output_numpy=True))] == [0, 1, 2]
    batches = numbers().batch(1, per_batch_map=Refilling().of_batch, input_columns=["a"], **options)
    assert [row[0].item() for row in list(batches.create_tuple_iterator(num_epochs=1, output_numpy=True))] == [0, 1, 2]


def test_who_reads_a_row_may_write_to_it() -> None:
    constant = np.ones(2)
    data = numbers().map(lambda _: constant, ["a"])
    for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
        assert row["a"].tolist() == [1, 1]
        row["a"] *= 2
    assert constant.tolist() == [1, 1]
