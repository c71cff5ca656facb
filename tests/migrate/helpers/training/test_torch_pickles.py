"""Pickles with tensors of torch: every dtype and form, written for torch and read from it."""

import collections
import io
import pickle
import zipfile

import ml_dtypes
import numpy as np
import pytest
import torch

import sporax as ms
from sporax._src.migrate.helpers.training.storage import _load, _save
from sporax._src.migrate.helpers.training.torch_pickles import _torch_pickle, _TorchUnpickler

DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64",
          "complex128", "uint16", "uint32", "uint64")  # fmt: skip
Pair = collections.namedtuple("Pair", "a b")


def of_torch(value):
    """Return what torch reads of a saved value."""
    file = io.BytesIO()
    _save(value, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def from_torch(value):
    """Return what is read of a value that torch saved."""
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return _load(file)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2), (1, 1, 2)], ids=str)
@pytest.mark.parametrize("name", DTYPES)
def test_tensors_of_every_dtype_go_both_ways(name, shape):
    array = (
        np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    )
    tensor = ms.Tensor(array, getattr(ms, "bool_" if name == "bool" else name))
    found = of_torch([tensor, (tensor,)])
    assert found[0].dtype == getattr(torch, name) and tuple(found[0].shape) == shape
    assert found[0].to(torch.complex128).tolist() == array.astype(complex).tolist()
    assert found[0].data_ptr() == found[1][0].data_ptr()
    again = from_torch(found)
    assert again[0].dtype == tensor.dtype and again[0].shape == shape
    np.testing.assert_array_equal(again[0].asnumpy().astype(complex), array.astype(complex))


def test_parameters_stay_parameters():
    parameter = ms.Parameter(ms.Tensor([1.0, 2.0]), name="net.w", requires_grad=False)
    found = of_torch({"w": parameter})["w"]
    assert isinstance(found, torch.nn.Parameter) and not found.requires_grad and found.tolist() == [1, 2]
    again = from_torch({"w": found})["w"]
    assert isinstance(again, ms.Parameter) and not again.requires_grad and again.asnumpy().tolist() == [1, 2]


def test_views_of_torch_are_read():
    base = torch.arange(24.0).reshape(2, 3, 4)
    views = [base[1:, ::2], base.transpose(0, 2), base[0, 0, 0].expand(2, 2), base[:, :0], base.flatten()[5:7]]
    for found, view in zip(from_torch(views), views, strict=True):
        np.testing.assert_array_equal(found.asnumpy(), view.numpy())


def test_plain_values_are_torchs():
    value = {
        "n": 3, "big": -(10**30), "f": 0.1, "inf": float("inf"), "text": "é", "bytes": b"\x00\xff", "none": None,
        "flags": [True, False],
        "nested": ([], {}, (), ({1: [2]},)), "ordered": collections.OrderedDict(b=1, a=2), "set": {1, 2}, "c": 1j,
        "counter": collections.Counter("aab"),
    }  # fmt: skip
    for found in (of_torch(value), from_torch(value)):
        assert found == value and [type(found[key]) for key in value] == [type(item) for item in value.values()]


def test_dtypes_and_sizes_are_read_as_here():
    assert of_torch([ms.float32, ms.bfloat16, ms.bool_]) == [torch.float32, torch.bfloat16, torch.bool]
    assert from_torch([torch.float32, torch.uint16, torch.Size([2, 3])]) == [ms.float32, ms.uint16, (2, 3)]


def test_what_is_saved_is_not_changed():
    tensor = ms.Tensor([1.0])
    value = {"a": [tensor], "d": collections.defaultdict(list, b=[tensor])}
    content, arrays, _ = _torch_pickle(value)
    assert value["a"][0] is tensor and value["d"]["b"][0] is tensor and len(arrays) == 1
    found = _TorchUnpickler(io.BytesIO(content), lambda number: arrays[int(number)].tobytes()).load()
    assert found["d"].default_factory is list and found["d"]["b"][0].asnumpy().tolist() == [1]


def test_tensors_of_a_named_tuple_are_torchs(monkeypatch):
    monkeypatch.setattr(Pair, "__module__", "collections")
    monkeypatch.setattr(collections, "Pair", Pair, raising=False)
    file = io.BytesIO()
    _save(Pair(ms.Tensor([1.0]), 2), file)
    file.seek(0)
    found = torch.load(file, weights_only=False)
    assert type(found) is Pair and found.a.tolist() == [1] and found.b == 2


def test_dtypes_that_torch_has_not_are_told():
    with pytest.raises(TypeError, match=r"torch\.save: a file of torch has no dtype .*; save it as another one"):
        _torch_pickle(ms.Tensor([1.0]).astype(ms.float8_e4m3fn))


@pytest.mark.parametrize(
    ("size", "strides"), [((3,), (1,)), ((2, 2), (1, 1)), ((2,), (-1,)), ((-1,), (1,)), ((1,), (1,))], ids=str
)
def test_tensors_beyond_their_storage_are_refused(size, strides):
    storage = "float32", np.ones(2, np.float32).tobytes()
    content, *_ = _torch_pickle(ms.Tensor([1.0]))
    reader = _TorchUnpickler(io.BytesIO(content), lambda number: storage[1])
    rebuilt = reader.find_class("torch._utils", "_rebuild_tensor_v2")
    with pytest.raises(pickle.UnpicklingError, match=r"it has a tensor of shape .* in a storage of 2 values"):
        rebuilt(storage, 2 if size == (1,) else 0, size, strides)


def test_other_references_are_refused():
    reader = _TorchUnpickler(io.BytesIO(b""), lambda number: b"")
    with pytest.raises(pickle.UnpicklingError, match="it has a reference 'module', which is no storage"):
        reader.persistent_load(("module", "float32", "0"))


def test_the_order_of_bytes_is_checked(tmp_path):
    torch.save({"a": torch.ones(1)}, tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as source, zipfile.ZipFile(tmp_path / "b.pt", "w") as target:
        for name in source.namelist():
            target.writestr(name, b"big" if name.endswith("byteorder") else source.read(name))
    with pytest.raises(pickle.UnpicklingError, match="the byte order of another machine"):
        _load(tmp_path / "b.pt")
