"""DataFrames of pandas."""

import numpy as np
import pytest

import sporax.dataset as ds

pd = pytest.importorskip("pandas")


def test_rows() -> None:
    frame = pd.DataFrame(
        {"x": [1.0, 2.0], "name": ["a", "bb"], "kind": pd.Categorical(["u", "v"]), "n": pd.array([1, 2], dtype="Int64")}
    )
    rows = list(ds.from_source(frame).create_dict_iterator(num_epochs=1, output_numpy=True))
    assert [[value.tolist() for value in row.values()] for row in rows] == [[1.0, "a", "u", 1], [2.0, "bb", "v", 2]]
    numbers = ds.from_source(frame, ["x", "n"])
    assert np.shares_memory(numbers._stacked()[0], frame["x"].to_numpy()) and numbers.batch(2).output_shapes() == [
        [2],
        [2],
    ]


def test_missing_values() -> None:
    frame = pd.DataFrame({"name": ["a", None]})
    with pytest.raises(RuntimeError, match="column 'name' at row 1: expected numbers, text or arrays, got None"):
        list(ds.from_source(frame))
