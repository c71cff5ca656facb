"""Sources, samplers, settings and iterators: what no golden and no law says."""

import importlib
import json
import threading

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data import convert
from sporax._src.data.streams import Stream64, shuffle, stream32, uniform
from sporax.dataset import transforms, vision


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
    class Reverse(ds.Sampler):
        def __init__(self):  # without super().__init__()
            self.resets = 0

        def reset(self):
            self.resets += 1

        def __iter__(self):
            yield from range(self.dataset_size - 1, -1, -1)

    class Plain:
        def __iter__(self):
            return iter([2, 0])

        def __len__(self):
            return 2

    sampler = Reverse()
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=sampler), 2) == [[6, 5, 4]] * 2
    assert sampler.resets == 2
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


# Iterators.


class FakeTensor:
    def __init__(self, array):
        self.array = array

    def asnumpy(self):
        return self.array


@pytest.fixture
def tensors():
    saved = convert._Hook.make, convert._Hook.is_tensor, convert._Hook.numpy_dtype
    convert.set_tensor_type(FakeTensor, lambda value: isinstance(value, FakeTensor), numpy_dtype=lambda d: d.plain)
    yield
    convert._Hook.make, convert._Hook.numpy_dtype = saved[0], saved[2]
    convert._Hook.is_tensor = staticmethod(saved[1])


def test_rows_become_tensors_and_text_does_not(tensors):
    data = ds.GeneratorDataset([(1, "a", {"k": 2, "l": [3]})], ["n", "t", "d"])
    row = next(data.create_dict_iterator())
    assert isinstance(row["n"], FakeTensor)
    assert row["t"].tolist() == "a"
    assert isinstance(row["d"]["k"], FakeTensor) and isinstance(row["d"]["l"][0], FakeTensor)
    assert isinstance(next(data.create_dict_iterator(output_numpy=True))["n"], np.ndarray)


def test_tensors_may_come_from_users(tensors):
    data = ds.GeneratorDataset([FakeTensor(np.arange(2))], "a").map(lambda a: FakeTensor(a + 1), "a")
    assert values(data) == [[1, 2]]

    class DType:
        plain = np.float16

    assert transforms.TypeCast(DType())(1).dtype == np.float16


def test_types_may_be_named_as_the_framework_prints_them():
    class Named:
        def __str__(self):
            return "mindspore.Float32"

    assert transforms.TypeCast(Named())(1).dtype == np.float32


def test_reading_ahead_hands_errors_over_and_can_stop():
    def source():
        yield 1
        raise KeyError("inside")

    rows = ds.GeneratorDataset(source, "a").create_tuple_iterator(prefetch=2, output_numpy=True)
    assert next(rows)[0] == 1
    with pytest.raises(RuntimeError, match="KeyError at row 1"):
        next(rows)
    endless = ds.NumpySlicesDataset([1, 2]).repeat().create_tuple_iterator(prefetch=2)
    next(endless)
    endless.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "dataset-prefetch"]


def test_an_iterator_may_start_later():
    data = ds.NumpySlicesDataset(np.arange(4), shuffle=False).batch(2)
    data.set_init_step(3)
    rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    assert [row[0].tolist() for row in rows] == [[2, 3]]
    assert data.get_init_step() == 3


def test_facts():
    data = ds.NumpySlicesDataset(np.arange(4))
    assert data.is_shuffled() and not data.is_sharded()
    assert data.batch(2).map(lambda a: a).get_batch_size() == 2
    assert data.repeat(2).repeat(3).get_repeat_count() == 3
    assert data.repeat().get_repeat_count() == -1
    assert (data.num_classes(), data.get_class_indexing()) == (None, {})
    assert data.batch(2).children == [data]
    batched = data.batch(2)
    assert batched in [parent() for parent in data.parent]
    assert (data.reset(), data.close_pool()) == (None, None)


def test_varying_axes_are_none():
    data = ds.GeneratorDataset([(np.zeros((2, k)),) for k in (1, 2)], "a")
    assert data.output_shapes(estimate=True) == [[2, None]]


def test_user_pipelines_of_their_own():
    class Doubled(ds.Dataset):
        def _static_size(self):
            return 2

        def _columns(self):
            return ["a"]

        def _rows(self, run, epoch, start=0):
            return iter([(np.array(k),) for k in (2, 4)][start:])

    assert values(Doubled().map(lambda a: a + 1)) == [3, 5]


def test_settings_are_kept(tmp_path):
    for name in dir(ds.config):
        if name.startswith("set_") and name not in ("set_seed", "set_iterator_mode"):
            getter = getattr(ds.config, name.replace("set_", "get_"))
            getattr(ds.config, name)(getter())
    ds.config.set_enable_autotune(True, "/tmp/prefix")
    assert ds.config.get_enable_autotune() is True
    file = tmp_path / "settings.json"
    file.write_text('{"numParallelWorkers": 2, "seed": 4, "logFilePath": "x"}')
    ds.config.load(str(file))
    assert (ds.config.get_num_parallel_workers(), ds.config.get_seed()) == (2, 4)
    file.write_text('{"nothing": 2}')
    with pytest.raises(ValueError, match="sets 'nothing'"):
        ds.config.load(str(file))
    with pytest.raises(TypeError, match="expected a bool"):
        ds.config.set_iterator_mode(do_copy=3)


def test_the_seed_reaches_plain_python_and_numpy():
    import random

    ds.config.set_seed(3)
    first = random.random(), np.random.random()
    ds.config.set_seed(3)
    assert (random.random(), np.random.random()) == first


def test_old_paths_lead_to_the_same_names():
    for path in ("engine.datasets", "engine.samplers", "engine.iterators", "samplers", "core.config",
                 "transforms.transforms", "transforms.c_transforms", "transforms.py_transforms", "vision.transforms",
                 "vision.c_transforms", "vision.py_transforms", "vision.utils"):  # fmt: skip
        module = importlib.import_module(f"sporax.dataset.{path}")
        for name in module.__all__:
            assert getattr(module, name) is not None
    assert importlib.import_module("sporax.dataset.transforms.py_transforms").OneHotOp is transforms.OneHot
    assert importlib.import_module("sporax.dataset.vision.c_transforms").Resize is vision.Resize


def test_readers_refuse_broken_files(tmp_path):
    (tmp_path / "train-images-idx3-ubyte").write_bytes(b"\0" * 16)
    with pytest.raises(RuntimeError, match="lacks"):
        ds.MnistDataset(str(tmp_path))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes((2049).to_bytes(4, "big") + (1).to_bytes(4, "big") + b"\0")
    with pytest.raises(RuntimeError, match="expected an IDX file of 3 axes"):
        ds.MnistDataset(str(tmp_path))
    head = b"".join(n.to_bytes(4, "big") for n in (2051, 2, 28, 28))
    (tmp_path / "train-images-idx3-ubyte").write_bytes(head)
    with pytest.raises(RuntimeError, match=r"needs 1568 bytes; it has 0"):
        ds.MnistDataset(str(tmp_path))
    (tmp_path / "train-images-idx3-ubyte").write_bytes(head + bytes(1568))
    with pytest.raises(RuntimeError, match="has 2 images but 1 labels"):
        ds.MnistDataset(str(tmp_path))
    with pytest.raises(ValueError, match=r"usage must be one of .*got 'dev'"):
        ds.MnistDataset(str(tmp_path), "dev")
    (tmp_path / "test_batch.bin").write_bytes(b"\0" * 10)
    with pytest.raises(RuntimeError, match="rows of 3073 bytes; it has 10"):
        ds.Cifar10Dataset(str(tmp_path))
    with pytest.raises(RuntimeError, match="has no files ending in"):
        ds.ImageFolderDataset(str(tmp_path))
    (tmp_path / "cat").mkdir()
    (tmp_path / "cat" / "a.png").write_bytes(b"no image")
    with pytest.raises(RuntimeError, match="class_indexing names"):
        ds.ImageFolderDataset(str(tmp_path), class_indexing={"dog": 0})
    with pytest.raises(TypeError, match="class_indexing must be a dict"):
        ds.ImageFolderDataset(str(tmp_path), class_indexing=[0])
    with pytest.raises(RuntimeError, match=r"a.png cannot be decoded"):
        list(ds.ImageFolderDataset(str(tmp_path), decode=True))
    secret = ds.ImageFolderDataset(str(tmp_path), decrypt=lambda path: b"plain")
    assert values(secret) == [list(b"plain")]
