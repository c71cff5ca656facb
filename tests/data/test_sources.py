"""The C++ streams, sources and samplers: what no golden and no law says."""

import json
import threading

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data.cpp_random import Stream64, shuffle, stream32, uniform


def values(data, epochs=1):
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    found = [[row[0].tolist() for row in rows] for _ in range(epochs)]
    return found if epochs > 1 else found[0]


# The C++ streams: the values the C++ standard names for the ten-thousandth output.


def test_streams_are_the_standards():
    small = stream32(5489)
    assert [next(small) for _ in range(10000)][-1] == 4123659995
    assert int(Stream64(5489).take(10000)[-1]) == 9981545732273789042


def test_skipping_a_stream_equals_reading_it():
    for count in (0, 1, 311, 312, 1000):
        read, skipped = Stream64(3), Stream64(3)
        read.take(count)
        skipped.skip(count)
        np.testing.assert_array_equal(read.take(700), skipped.take(700))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 100, 65535, 65536, 70001])
def test_shuffle_is_a_permutation(size):
    assert sorted(shuffle(list(range(size)), stream32(1))) == list(range(size))


def test_uniform_draws_cover_their_range_evenly():
    stream = stream32(1)
    counts = np.bincount([uniform(stream, 6) for _ in range(7000)], minlength=7)
    assert counts.min() > 900


# Sources.


def test_sources_of_every_kind():
    class Numbered:
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return np.float32(index), np.full(2, index)

    for source in ([(0.0, 1), (1.0, 1)], ((0.0, 1), (1.0, 1)), Numbered(), zip([0.0, 1.0], [1, 1], strict=True)):
        data = ds.GeneratorDataset(source, ["a", "b"], shuffle=False)
        assert values(data)[:2] == [0.0, 1.0]
    assert values(ds.GeneratorDataset(np.arange(3), "a", shuffle=False)) == [0, 1, 2]
    assert values(ds.GeneratorDataset({0: 5, 1: 6}, "a", shuffle=False)) == [5, 6]
    assert values(ds.GeneratorDataset(lambda: [1, 2].__iter__(), "a")) == [1, 2]
    assert values(ds.GeneratorDataset((i for i in range(3)), "a"), 2) == [[0, 1, 2], [0, 1, 2]]
    assert values(ds.GeneratorDataset(range(4), "a", num_samples=2, shuffle=False)) == [0, 1]
    assert values(ds.GeneratorDataset(lambda: iter(range(4)), "a", num_samples=2)) == [0, 1]


def test_one_row_of_one_column_needs_no_tuple():
    assert ds.GeneratorDataset([[1, 2]], ["a", "b"]).output_shapes() == [[], []]
    assert ds.GeneratorDataset([np.zeros((2, 3))], "a").output_shapes() == [[2, 3]]
    assert values(ds.GeneratorDataset(["text"], "a")) == ["text"]
    assert next(ds.GeneratorDataset([{"k": 1}], "a").create_tuple_iterator(output_numpy=True)) == [{"k": np.array(1)}]


def test_a_source_may_be_indexed():
    data = ds.GeneratorDataset([5, 6, 7], "a", shuffle=False)
    assert data[1] == 6


def test_schema_names_and_types_columns(tmp_path):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps({"numRows": 2, "columns": {"a": {"type": "int64", "rank": 0}}}))
    data = ds.GeneratorDataset([1, 2], schema=str(file), shuffle=False)
    assert data.get_col_names() == ["a"]
    assert values(data) == [1, 2]
    schema = ds.Schema(str(file))
    assert (schema.num_rows, json.loads(str(schema))) == (2, {"columns": {"a": {"type": "int64"}}})
    schema.parse_columns([{"name": "b", "type": "float32", "shape": [2]}])
    assert schema.types() == [np.int64, np.float32]


def test_sizes_of_shares_and_batches():
    """The sizes of the migration guide's table: 1000 rows, 3 of them, 8 shares, batches of 32."""
    source = np.zeros((1000, 2))
    assert ds.NumpySlicesDataset(source).get_dataset_size() == 1000
    assert ds.NumpySlicesDataset(source, num_samples=3).get_dataset_size() == 3
    assert ds.NumpySlicesDataset(source, num_shards=8, shard_id=0).get_dataset_size() == 125
    assert ds.NumpySlicesDataset(source).batch(32, drop_remainder=True).get_dataset_size() == 31
    assert ds.NumpySlicesDataset(source).batch(32).get_dataset_size() == 32


def test_shares_are_disjoint_and_complete():
    for shuffled in (True, False):
        shares = [values(ds.NumpySlicesDataset(np.arange(12), num_shards=3, shard_id=k, shuffle=shuffled))
                  for k in range(3)]  # fmt: skip
        assert sorted(row for share in shares for row in share) == list(range(12))


def test_splits_are_disjoint_even_without_a_seed():
    ds.config.set_seed(5489)
    for data in (ds.NumpySlicesDataset(np.arange(20)), ds.NumpySlicesDataset(np.arange(20)).map(lambda x: x)):
        left, right = data.split([0.5, 0.5])
        if isinstance(data, ds.NumpySlicesDataset):
            assert sorted(values(left) + values(right)) == list(range(20))
        assert left.get_dataset_size() == right.get_dataset_size() == 10


def test_a_split_part_may_be_sharded():
    part = ds.NumpySlicesDataset(np.arange(10), shuffle=False).split([6, 4], randomize=False)[0]
    part.use_sampler(ds.DistributedSampler(2, 1, shuffle=False))
    assert values(part) == [1, 3, 5]


def test_samplers_chain_and_replace():
    data = ds.NumpySlicesDataset(np.arange(10), sampler=ds.SubsetSampler([9, 8, 7, 6]))
    data.add_sampler(ds.SequentialSampler(1, 2))
    assert values(data) == [8, 7]
    assert data.sampler.get_num_samples() == 2
    assert data.sampler.get_child().get_num_samples() == 4
    data.use_sampler(ds.DistributedSampler(2, 0, shuffle=False))
    assert values(data) == [9, 7]
    assert data.is_sharded()
    assert not data.is_shuffled()


def test_user_samplers():
    resets = []

    class Reverse(ds.Sampler):
        def __init__(self):  # without super().__init__()
            self.state = 0

        def reset(self):
            self.state += 1
            resets.append(self.state)

        def __iter__(self):
            yield from range(self.dataset_size - 1, -1, -1)

    class Plain:
        def __iter__(self):
            return iter([2, 0])

        def __len__(self):
            return 2

    sampler = Reverse()
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=sampler), 2) == [[6, 5, 4]] * 2
    assert resets[-2:] == [1, 2]
    assert sampler.state == 0  # every iterator reads a copy
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=Plain())) == [6, 4]
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=[2, 1], num_samples=1)) == [6]
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=1)) == [5]


def test_columns_in_memory_keep_each_rows_type():
    data = ds.NumpySlicesDataset([1, 2.5], shuffle=False)
    assert [row[0].dtype for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [int, float]
    ragged = ds.NumpySlicesDataset([[1], [1, 2]], shuffle=False)
    assert values(ragged) == [[1], [1, 2]]


def test_the_source_is_never_written_to():
    array = np.arange(4.0)

    def spoil(value):
        value += 100
        return value

    for data in (ds.NumpySlicesDataset(array, shuffle=False), ds.GeneratorDataset(array, "a", shuffle=False)):
        assert values(data.map(spoil)) == [100, 101, 102, 103]
    assert array.tolist() == [0, 1, 2, 3]


def test_threads_read_in_order_and_end():
    seen = set()

    def note(value):
        seen.add(threading.current_thread().name)
        return value

    data = ds.NumpySlicesDataset(np.arange(50), shuffle=False).map(note, num_parallel_workers=2)
    assert values(data) == list(range(50))
    assert all(name.startswith("dataset") for name in seen)
    rows = iter(data)
    next(rows)
    rows.stop()


def test_samplers_with_state_resume():
    class Shuffler:
        def __init__(self):
            self.rng, self.groups = np.random.default_rng(0), [[0, 1], [2], [3, 4]]

        def __iter__(self):
            self.rng.shuffle(self.groups)
            return iter(self.groups)

    data = ds.GeneratorDataset(list(range(5)), "a", batch_sampler=Shuffler())
    whole = values(data, 3)
    assert values(data, 3) == whole
    data.set_init_step(4)
    rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    assert [row[0].tolist() for row in rows] == whole[1][1:]


def test_samplers_that_cannot_be_copied_are_read_themselves():
    class Held(ds.Sampler):
        def __init__(self):
            super().__init__()
            self.lock = threading.Lock()

        def __iter__(self):
            return iter([1, 0])

    assert values(ds.NumpySlicesDataset([5, 6], sampler=Held())) == [6, 5]


def test_shares_of_a_concatenation_hold_every_row_once():
    data = ds.NumpySlicesDataset(np.arange(5), shuffle=False) + ds.GeneratorDataset(
        lambda: ((i,) for i in range(5, 12)), ["column_0"]
    )
    found = []
    for shard in range(5):
        data.use_sampler(ds.DistributedSampler(5, shard, shuffle=False))
        share = values(data)
        assert len(share) == data.get_dataset_size()
        found += share
    assert sorted(found) == list(range(12))
    data.use_sampler(ds.RandomSampler())
    first, second = values(data, 2)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(12))
