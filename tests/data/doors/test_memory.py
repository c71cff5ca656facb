"""Arrays in memory and in files, lists, iterators and functions."""

from pathlib import Path

import numpy as np
import pytest

import sporax.dataset as ds


def values(data: ds.Dataset, epochs: int = 1) -> list[list[list[object]]]:
    source = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[[value.tolist() for value in row] for row in source] for _ in range(epochs)]


def test_arrays(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.int32).reshape(3, 2)
    mapped = np.memmap(tmp_path / "rows.bin", np.int32, "w+", shape=(3, 2))
    mapped[:] = array
    for source in (array, mapped):
        data = ds.from_source(source, "x")
        assert values(data) == [[[[0, 1]], [[2, 3]], [[4, 5]]]] and np.shares_memory(data._stacked()[0], source)
        assert data.get_col_names() == ["x"]


def test_columns() -> None:
    assert values(ds.from_source({"a": [1, 2], "b": np.array(["x", "y"])})) == [[[1, "x"], [2, "y"]]]
    assert values(ds.from_source({"a": [1, 2], "b": [3, 4]}, ["b"])) == [[[3], [4]]]
    assert values(ds.from_source((np.arange(2), [5.0, 6.0]), ["a", "b"])) == [[[0, 5.0], [1, 6.0]]]
    with pytest.raises(ValueError, match=r"all columns must have one length, got {'a': 1, 'b': 2}"):
        ds.from_source({"a": [1], "b": [1, 2]})
    with pytest.raises(ValueError, match=r"all columns must have one length, got {'column_0': None}"):
        ds.from_source((3,))


def test_python_objects() -> None:
    assert values(ds.from_source([(1, "a"), (2, "b")])) == [[[1, "a"], [2, "b"]]]
    assert values(ds.from_source(iter([3, 4])), 2) == [[[3], [4]]] * 2  # an iterator cannot begin anew
    assert values(ds.from_source(k for k in range(2)), 2) == [[[0], [1]]] * 2
    assert values(ds.from_source(lambda: iter([5])), 2) == [[[5]]] * 2
    assert values(ds.from_source(range(2))) == [[[0], [1]]]
