"""Laws of datasets: what holds for every pipeline, whatever it is made of. Workers, positions and epochs change no row."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from sporax._src.data.dataset import Dataset
from sporax._src.data.iteration import Run

Build = Callable[[], Dataset]
# What a required parameter of a transformation takes where its row says nothing, by its annotation.
ARGUMENTS = {"int": 3, "str": "a", "str | list[str]": "a", "int | Callable[[BatchInfo], int]": 3}


def transformations() -> dict[str, Callable[..., Any]]:
    """Return the methods of `Dataset` that make another dataset, by name."""
    return {
        name: method
        for name, method in vars(Dataset).items()
        if inspect.isfunction(method)
        and method.__module__.startswith("sporax._src.data.transformations.")
        and method.__annotations__["return"] == "Dataset"
    }


def transformed(source: Dataset, name: str) -> Dataset:
    """Return `source` under a transformation whose required parameters the annotations fill."""
    _, *taken = inspect.signature(transformations()[name]).parameters.values()
    required = [p for p in taken if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    unknown = [f"{p.name}: {p.annotation}" for p in required if p.annotation not in ARGUMENTS]
    assert unknown == [], f"Dataset.{name} needs a row in ROWS: no value is known for {unknown}"
    return getattr(source, name)(**{p.name: ARGUMENTS[p.annotation] for p in required})


def rows_of(data: Dataset, epochs: int = 1, **options: Any) -> list[list[list[Any]]]:
    """Return the rows of some epochs as plain lists."""
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True, **options)
    return [[[value.tolist() for value in row] for row in rows] for _ in range(epochs)]


def with_workers(data: Dataset, count: int) -> Dataset:
    """Have every dataset of the pipeline use `count` threads."""
    data.num_parallel_workers = count
    for child in data.children:
        with_workers(child, count)
    return data


def the_seed_decides_every_epoch(build: Build) -> None:
    """Two equal pipelines give the same epochs, none of them empty."""
    first = rows_of(build(), 3)
    assert first == rows_of(build(), 3)
    assert all(first)


def the_size_is_what_comes(build: Build) -> None:
    """The first epoch has as many rows as the dataset says, and so has the second."""
    data = build()
    assert [data.get_dataset_size(), len(data)] == [len(epoch) for epoch in rows_of(data, 2)]


def resuming_at_every_position_gives_the_rest(build: Build) -> None:
    """An iterator that takes over the state of another one, at any row of either epoch, gives the rows after it."""
    data = build()
    expected = rows_of(data, 2)
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    for epoch in range(2):
        states = [rows.get_state()] + [rows.get_state() for _ in rows]
        for step, state in enumerate(states[:-1]):
            other = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
            other.set_state(state)
            assert [[value.tolist() for value in row] for row in other] == expected[epoch][step:]


def workers_change_nothing(build: Build) -> None:
    """One thread and four give the same rows in the same order."""
    with mock.patch.object(os, "cpu_count", return_value=4):  # no more threads are used than there are processors
        assert rows_of(with_workers(build(), 1), 2) == rows_of(with_workers(build(), 4), 2)


def types_shapes_and_names_are_those_of_the_first_row(build: Build) -> None:
    """What a dataset says of its columns is what an iterator gives."""
    data = build()
    row = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert data.get_col_names() == list(row)
    assert data.output_shapes() == [list(value.shape) for value in row.values()]
    assert data.output_types() == [value.dtype for value in row.values()]


def rows_are_the_users_own(build: Build) -> None:
    """Writing into a row changes no later one."""
    data = build()
    expected = rows_of(data)
    for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        for value in row:
            if value.dtype.kind not in "US":
                value[...] = 0
    assert rows_of(data) == expected


def reading_ahead_changes_nothing(build: Build) -> None:
    """A thread that reads rows before they are wanted gives the same ones."""
    data = build()
    assert rows_of(data, prefetch=3) == rows_of(data)


def gathering_equals_row_by_row(build: Build) -> None:
    """Rows fetched many at once, in any order, are those that come one by one."""
    data = build()
    run = Run(data, seed=1)
    gather = data._gather(run, 1)
    if gather is None:
        return
    positions = np.random.RandomState(0).permutation(data._size())
    single = list(data._rows(run, 1))
    for column, values in enumerate(gather(positions)):
        for position, value in zip(positions, values, strict=True):
            np.testing.assert_array_equal(value, single[position][column])
            assert value.dtype == single[position][column].dtype


LAWS = [
    the_seed_decides_every_epoch,
    the_size_is_what_comes,
    resuming_at_every_position_gives_the_rest,
    workers_change_nothing,
    types_shapes_and_names_are_those_of_the_first_row,
    rows_are_the_users_own,
    reading_ahead_changes_nothing,
    gathering_equals_row_by_row,
]


def check_dataset(build: Build) -> None:
    """Hold what `build` makes to every law; it is called anew for each pipeline that a law needs.

    Raises:
        AssertionError: If a law does not hold.
    """
    for law in LAWS:
        law(build)
