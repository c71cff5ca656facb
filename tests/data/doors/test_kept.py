"""Streams, numbered rows and columns: sizes, epochs, positions, and sources that do not keep their promises."""

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data.doors.kept import ColumnsDataset, IndexedDataset, Pieces, StreamDataset


class Counted:
    """Rows that tell how often they were begun; `said` is their length."""

    def __init__(self, count: int, said: int | None = None) -> None:
        self.count, self.said, self.begun, self.epochs = count, said, 0, []

    def set_epoch(self, epoch: int) -> None:
        self.epochs.append(epoch)

    def __iter__(self):
        self.begun += 1
        return iter([{"x": k} for k in range(self.count)])


class Sized(Counted):
    def __len__(self) -> int:
        return self.said


class Numbered:
    def __init__(self, count: int, said: int) -> None:
        self.rows, self.said = [(k, -k) for k in range(count)], said

    def __len__(self) -> int:
        return self.said

    def __getitem__(self, index: int) -> tuple[int, int]:
        return self.rows[index]


def rows(data: ds.Dataset, name: str = "x", epochs: int = 1) -> list[list[int]]:
    source = data.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    return [[row[name].item() for row in source] for _ in range(epochs)]


def test_the_first_epoch_continues_what_was_begun_for_the_columns() -> None:
    source = Sized(3, 3)
    data = StreamDataset(source)
    assert data.get_col_names() == ["x"] and data.get_dataset_size() == 3
    assert rows(data, epochs=2) == [[0, 1, 2]] * 2
    assert source.begun == 2 and source.epochs == [0, 1]


def test_an_iterator_continues_where_another_was() -> None:
    data = StreamDataset(Counted(4))
    source = data.create_tuple_iterator(output_numpy=True)
    next(source)
    state = source.get_state()
    again = data.create_tuple_iterator(output_numpy=True)
    again.set_state(state)
    assert [row[0].item() for row in again] == [1, 2, 3]


def test_rows_without_a_length_are_counted_once() -> None:
    source = Counted(3)
    data = StreamDataset(source, ["x"])
    assert [data.get_dataset_size(), data.get_dataset_size(), source.begun] == [3, 3, 1]


def test_a_stream_of_another_length_than_it_says() -> None:
    with pytest.warns(
        UserWarning, match=r"from_source\(Sized\): the source gave 3 rows in an epoch, but its len\(\) is 5"
    ):
        assert rows(StreamDataset(Sized(3, 5))) == [[0, 1, 2]]


def test_streams_that_fail() -> None:
    def failing():
        yield 1
        raise OSError("gone")

    class Failing:
        def __iter__(self):
            return failing()

    with pytest.raises(RuntimeError, match="from_source: Failing raised OSError at row 1: gone"):
        list(StreamDataset(Failing()))
    with pytest.raises(
        RuntimeError, match=r"from_source\(Counted\): the source has no rows, so its columns are not known"
    ):
        StreamDataset(Counted(0)).get_col_names()
    with pytest.raises(RuntimeError, match="from_source: Counted raised TypeError at row 0"):
        StreamDataset(Counted("3")).get_col_names()
    with pytest.raises(ValueError, match=r"from_source\(Counted\): shuffle, num_shards cannot be given"):
        StreamDataset(Counted(1), None, {"shuffle": True, "num_shards": 2, "sampler": None})


def test_numbered_rows_follow_samplers() -> None:
    data = IndexedDataset(Numbered(4, 4), ["x", "y"], {"sampler": ds.SubsetSampler([3, 1])})
    assert rows(data) == [[3, 1]] and rows(data, "y") == [[-3, -1]]
    assert rows(IndexedDataset(Numbered(4, 4), ["x", "y"], {"shuffle": False, "num_shards": 2, "shard_id": 1})) == [
        [1, 3]
    ]
    assert sorted(rows(IndexedDataset(Numbered(9, 9), ["x", "y"], {"shuffle": True}))[0]) == list(range(9))
    named = IndexedDataset([1, 2], labels={"cat": 0, "dog": 1})
    assert (named.num_classes(), named.get_class_indexing()) == (2, {"cat": 0, "dog": 1})
    assert (data.num_classes(), data.get_class_indexing()) == (None, {})


def test_numbered_rows_that_fail() -> None:
    with pytest.raises(
        RuntimeError, match=r"from_source\(Numbered\): row 2 raised IndexError: .*\(its __len__ gives 3\)"
    ):
        list(IndexedDataset(Numbered(2, 3)))
    with pytest.raises(RuntimeError, match=r"from_source\(list\): the source has no rows; expected at least one"):
        IndexedDataset([]).get_col_names()
    with pytest.raises(TypeError, match=r"from_source\(count\): a source with numbered rows needs '__len__'"):
        from itertools import count

        IndexedDataset(count()).get_dataset_size()


def test_columns() -> None:
    held = {"a": np.arange(3), "b": ["x", "yy", "z"]}
    data = ColumnsDataset(held, held)
    assert [row["b"].item() for row in data.create_dict_iterator(1, output_numpy=True)] == ["x", "yy", "z"]
    assert ColumnsDataset(held, held, "a")._stacked() is not None and data._stacked() is None
    with pytest.raises(ValueError, match=r"there is no column \['c'\]; there are \['a', 'b'\]"):
        ColumnsDataset(held, held, ["c"])
    with pytest.raises(ValueError, match=r"from_source\(dict\): there are no columns, got {}"):
        ColumnsDataset({}, {})
    with pytest.raises(RuntimeError, match="column 'a' at row 1: expected numbers, text or arrays, got None"):
        list(ColumnsDataset({}, {"a": [1, None]}))


def test_pieces_are_one_column() -> None:
    whole = np.arange(20).reshape(10, 2)
    for order in (None, np.array([9, 0, 3, 3])):
        want = whole if order is None else whole[order]
        column = Pieces([whole[:3], whole[3:4], whole[4:]], order)
        assert len(column) == len(want)
        assert all((column[k] == want[k]).all() for k in range(len(want)))
        chosen = np.array([3, 0, 1, 2])
        np.testing.assert_array_equal(column[chosen], want[chosen])
