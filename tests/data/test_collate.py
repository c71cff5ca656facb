"""Rows put together: dictionaries, and what does not fit."""

import pytest

import sporax.dataset as ds


def test_dictionaries_are_batched_item_by_item():
    rows = [{"n": i, "v": [i, i], "t": "x" * i} for i in range(3)]
    data = ds.GeneratorDataset(rows, "d", shuffle=False).batch(2)
    first = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))["d"]
    assert first["n"].tolist() == [0, 1]
    assert first["v"].tolist() == [[0, 0], [1, 1]]
    assert first["t"].tolist() == ["", "x"]
    with pytest.raises(RuntimeError, match=r"column 'd' must hold dictionaries with the keys \['a'\], its row 1"):
        list(ds.GeneratorDataset([{"a": 1}, {"b": 1}], "d", shuffle=False).batch(2))
