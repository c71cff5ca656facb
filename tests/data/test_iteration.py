"""Iterators, settings, old paths and readers: what no golden and no law says."""

import importlib
import threading

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data import tensor_bridge
from sporax.dataset import transforms, vision


def values(data, epochs=1):
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    found = [[row[0].tolist() for row in rows] for _ in range(epochs)]
    return found if epochs > 1 else found[0]


class FakeTensor:
    def __init__(self, array):
        self.array = array

    def asnumpy(self):
        return self.array


@pytest.fixture
def tensors():
    saved = tensor_bridge._Hook.make, tensor_bridge._Hook.is_tensor, tensor_bridge._Hook.numpy_dtype
    tensor_bridge.set_tensor_type(
        FakeTensor, lambda value: isinstance(value, FakeTensor), numpy_dtype=lambda d: d.plain
    )
    yield
    tensor_bridge._Hook.make, tensor_bridge._Hook.numpy_dtype = saved[0], saved[2]
    tensor_bridge._Hook.is_tensor = staticmethod(saved[1])


def test_rows_become_tensors(tensors):
    data = ds.GeneratorDataset([(1, "a", {"k": 2, "l": [3]})], ["n", "t", "d"])
    row = next(data.create_dict_iterator())
    assert isinstance(row["n"], FakeTensor)
    assert isinstance(row["t"], FakeTensor)
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
    ds.config.set_enable_autotune(True, "prefix")
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
    older = importlib.import_module("sporax.dataset.vision.py_transforms")
    assert issubclass(older.Decode, vision.Decode) and older.Resize is vision.Resize
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
    nothing = ds.ImageFolderDataset(str(tmp_path)).batch(2)
    assert nothing.dataset_size is None and nothing.get_dataset_size() == nothing.dataset_size == 0
    with pytest.raises(RuntimeError, match="has no files ending in"):
        list(nothing)
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


@pytest.mark.parametrize("sampler, kind, text", [
    (ds.SequentialSampler(), TypeError, "expected a DistributedSampler or a RandomSampler"),
    (ds.DistributedSampler(2, 0), ValueError, "must not be shuffled"),
    (ds.RandomSampler(True), ValueError, "must not draw with replacement"),
    (ds.RandomSampler(num_samples=3), ValueError, "must not limit the rows, got num_samples=3"),
])  # fmt: skip
def test_concatenations_refuse_other_samplers(sampler, kind, text):
    with pytest.raises(kind, match=text):
        (ds.NumpySlicesDataset([1]) + ds.NumpySlicesDataset([2])).use_sampler(sampler)


def test_dictionaries_are_batched_item_by_item():
    rows = [{"n": i, "v": [i, i], "t": "x" * i} for i in range(3)]
    data = ds.GeneratorDataset(rows, "d", shuffle=False).batch(2)
    first = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))["d"]
    assert first["n"].tolist() == [0, 1]
    assert first["v"].tolist() == [[0, 0], [1, 1]]
    assert first["t"].tolist() == ["", "x"]
    with pytest.raises(RuntimeError, match=r"column 'd' must hold dictionaries with the keys \['a'\], its row 1"):
        list(ds.GeneratorDataset([{"a": 1}, {"b": 1}], "d", shuffle=False).batch(2))


def test_epochs_of_batches_are_the_iterators():
    seen = []

    def note(values, info):
        seen.append((info.get_epoch_num(), info.get_batch_num()))
        return (values,)

    data = ds.NumpySlicesDataset(np.arange(4)).batch(2, per_batch_map=note).repeat(2)
    values(data, 2)
    assert seen == [(epoch, batch) for epoch in (0, 1) for _ in range(2) for batch in (0, 1)]


def test_shapes_and_types_of_nothing_are_empty():
    nothing = ds.NumpySlicesDataset([1]).skip(3)
    assert (nothing.output_shapes(), nothing.output_types(), len(nothing)) == ([], [], 0)


def test_column_types_may_be_left_open():
    assert values(ds.GeneratorDataset([(1, 2)], ["a", "b"], column_types=[None, "int64"])) == [1]


def test_array_operations_at_their_edges():
    T = transforms
    assert T.OneHot(3)([[2]]).tolist() == [0, 0, 1]
    assert T.OneHot(3)([[2], [0]]).tolist() == [[0, 0, 1], [1, 0, 0]]
    labels = ds.NumpySlicesDataset(np.array([[0], [2]]), shuffle=False).map(T.OneHot(3)).batch(2)
    assert values(labels) == [[[1, 0, 0], [0, 0, 1]]]
    assert T.PadEnd([1, 5])(np.arange(6).reshape(2, 3)).tolist() == [[0, 1, 2, 0, 0]]
    assert T.PadEnd([3], "long")(np.array(["a"])).tolist() == ["a", "long", "long"]
    assert T.Fill(-3)(np.zeros(1, np.uint8)).tolist() == [253]
    assert T.Mask(T.Relational.EQ, 3.5)([3]).tolist() == [True]
    assert T.Slice(True)([1, 2]).tolist() == [1, 2]
    assert T.Slice(
        ...,
    )(np.eye(2)).shape == (2, 2)


def test_flags_may_be_none():
    data = ds.GeneratorDataset([np.array(1)], ["a"], python_multiprocessing=None)
    assert [row["a"].item() for row in data.create_dict_iterator(1, output_numpy=None, do_copy=None)] == [1]
