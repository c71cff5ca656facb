"""`sync`: the rows of the tables, and rows that wait."""

import time

import pytest
from data_tables import pipelines_of

import sporax.dataset as ds
from sporax._src.data import config

TestPipelines = pipelines_of("sporax._src.data.transformations.sync")


def numbers() -> ds.Dataset:
    def rows():
        yield from range(6)

    return ds.GeneratorDataset(rows, ["x"])


def read(data: ds.Dataset, seen: list, epochs: int = 1, **update: object) -> list[tuple[object, list]]:
    """Return each row with what the callback had seen before it came."""
    source = data.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    rows = []
    for _ in range(epochs):
        for number, row in enumerate(source):
            rows.append((row["x"].tolist(), list(seen)))
            if update is not None:
                data.sync_update("c", data=number, **update)
    return rows


def test_each_row_sees_the_update_of_the_row_before() -> None:
    """As MindSpore: the operations above wait, too."""
    seen: list[int] = []
    data = numbers().sync_wait("c", 1, seen.append)
    data = data.map(lambda x: x + 10 * len(seen), "x", num_parallel_workers=4)
    began = time.perf_counter()
    assert read(data, seen) == [(11 * k, list(range(k))) for k in range(6)]
    assert time.perf_counter() - began < 10  # nothing waited for a timeout
    assert data.get_dataset_size() == 6  # counting waits for nothing


def test_batches_are_let_through() -> None:
    seen: list[int] = []
    data = numbers().sync_wait("c", 1, seen.append).map(lambda x: x + 10 * len(seen), "x").batch(2)
    assert read(data, seen) == [([0, 1], []), ([12, 13], [0]), ([24, 25], [0, 1])]
    again: list[int] = []
    data = numbers().sync_wait("c", 1, again.append).batch(2)
    assert read(data, again, num_batch=3) == [([0, 1], []), ([2, 3], [0]), ([4, 5], [0, 1])]


def test_the_next_epoch_goes_on() -> None:
    seen: list[int] = []
    assert [row for row, _ in read(numbers().sync_wait("c", 2, seen.append), seen, 2)] == [*range(6), *range(6)]


def test_a_timeout_ends_the_waiting() -> None:
    config.set_callback_timeout(1)
    data = numbers().sync_wait("c", 2)
    with pytest.warns(UserWarning, match=r"no sync_update\('c'\) came within 1 s; rows wait no more"):
        assert [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == list(range(6))


@pytest.mark.parametrize("wrong", [{"condition_name": "q"}, {"condition_name": "c", "num_batch": -1}])
def test_a_wrong_update_ends_the_waiting(wrong: dict) -> None:
    data = numbers().sync_wait("c")
    with pytest.raises(RuntimeError, match="sync_update"):
        data.sync_update(**wrong)
    assert len(list(data.create_tuple_iterator(num_epochs=1))) == 6
    assert data.is_sync() and not numbers().is_sync()
