"""Rows put together: dictionaries, and what does not fit."""

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data import collate


def test_dictionaries_are_batched_item_by_item():
    rows = [{"n": i, "v": [i, i], "t": "x" * i} for i in range(3)]
    data = ds.GeneratorDataset(rows, "d", shuffle=False).batch(2)
    first = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))["d"]
    assert first["n"].tolist() == [0, 1]
    assert first["v"].tolist() == [[0, 0], [1, 1]]
    assert first["t"].tolist() == ["", "x"]
    with pytest.raises(RuntimeError, match=r"column 'd' must hold dictionaries with the keys \['a'\], its row 1"):
        list(ds.GeneratorDataset([{"a": 1}, {"b": 1}], "d", shuffle=False).batch(2))


class Reused:
    """A source that gives one array again and again, with other numbers."""

    def __init__(self) -> None:
        self.buffer = np.zeros(2)

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> np.ndarray:
        self.buffer[:] = index
        return self.buffer


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("steps", ["batch", "map", "take", "per_batch_map", "batch_sampler", "list"])
def test_a_source_may_use_its_array_again(steps: str, workers: int) -> None:
    source = Reused()
    options = {"num_parallel_workers": workers, "python_multiprocessing": False}
    if workers > 1:
        source.__class__ = type("Apart", (Reused,), {"__getitem__": lambda self, index: np.full(2, float(index))})
    if steps == "batch_sampler":
        data = ds.GeneratorDataset(source, "a", batch_sampler=[[0, 1, 2], [3, 4]], **options)
    else:
        data = ds.GeneratorDataset(source, "a", shuffle=False, **options)
    if steps == "map":
        data = data.map(lambda x: np.negative(x, out=x), "a").map(np.negative, "a")
    elif steps == "take":
        data = data.take(5)
    if steps == "per_batch_map":
        data = data.batch(3, per_batch_map=lambda rows, info: (rows,))
    elif steps not in ("batch_sampler", "list"):
        data = data.batch(3)
    rows = [row[0] for row in list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))]
    np.testing.assert_array_equal(np.concatenate([row.reshape(-1, 2) for row in rows]), [[i, i] for i in range(5)])


def test_a_batch_may_be_larger_than_there_are_rows() -> None:
    rows = ds.GeneratorDataset([np.full(1000, i) for i in range(3)], "a", shuffle=False).batch(2**31 - 1)
    assert next(rows.create_tuple_iterator(num_epochs=1, output_numpy=True))[0][:, 0].tolist() == [0, 1, 2]


def test_a_batch_grows_beyond_what_it_reserves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collate, "_FIRST_BYTES", 1)
    assert collate.stack("batch", "a", [[i, i] for i in range(5)]).tolist() == [[i, i] for i in range(5)]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            [np.zeros(2), np.zeros(3)],
            r"one shape and type per batch; its row 0 is float64\[2\], its row 1 is float64\[3\]",
        ),
        ([np.zeros(2), np.zeros(2, int)], r"its row 1 is int64\[2\]"),
        ([np.zeros(2), "text"], r"its row 1 is <u4\[\]"),
        (["text", np.zeros(2)], r"its row 1 is float64\[2\]"),
        ([{"a": 1}, np.zeros(2)], r"dictionaries with the keys \['a'\], its row 1 is float64\[2\]"),
        ([np.zeros(2), {"a": 1}], r"its row 1 is {'a': 1}"),
    ],
)
def test_rows_that_do_not_fit(rows: list, told: str) -> None:
    data = ds.GeneratorDataset(rows, "a", shuffle=False)
    with pytest.raises(RuntimeError, match=r"Dataset.batch: batch 0: column 'a' must .*" + told):
        list(data.batch(2))
    with pytest.raises(RuntimeError, match="batch 0"):
        list(data.batch(9))
    assert list(data.batch(9, drop_remainder=True)) == []


def test_other_objects_cannot_be_batched() -> None:
    with pytest.raises(RuntimeError, match="batch: column 'a' cannot be batched: expected numbers"):
        collate.stack("batch", "a", [1, object()])
