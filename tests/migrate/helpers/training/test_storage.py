"""Saving and loading: the row of the torch map that uses these helpers, and what comes back from a file."""

import collections
import io
import pickle

import pytest
from torch_map_rows import rows_of

import sporax as ms
from sporax._src.migrate.helpers.training.storage import _load, _save

TestRows = rows_of("sporax._src.migrate.helpers.training.storage")

Pair = collections.namedtuple("Pair", "a b")


def again(value, **options):
    """Return what comes back of a value."""
    file = io.BytesIO()
    _save(value, file)
    file.seek(0)
    return _load(file, **options)


@pytest.mark.parametrize("dtype", ["bool_", "uint8", "int64", "float16", "bfloat16", "float32", "complex64"])
def test_tensors_keep_their_dtypes(dtype):
    tensor = ms.Tensor([[0, 1], [1, 3]], getattr(ms, dtype))
    found = again({"inner": [tensor, (tensor,)]})
    for got in (found["inner"][0], found["inner"][1][0]):
        assert got.dtype == tensor.dtype and bool((got == tensor).all())


def test_parameters_keep_their_names():
    found = again(collections.OrderedDict(w=ms.Parameter(ms.Tensor([1.0, 2.0]), name="net.w")))
    assert type(found) is collections.OrderedDict and isinstance(found["w"], ms.Parameter)
    assert found["w"].name == "net.w" and found["w"].asnumpy().tolist() == [1, 2]


def test_files_are_named_by_paths_too(tmp_path):
    _save({"epoch": 3}, tmp_path / "x.pt")
    assert _load(tmp_path / "x.pt") == {"epoch": 3}


def test_classes_of_the_program_are_read_where_it_asks_for_them(monkeypatch):
    monkeypatch.setattr(Pair, "__module__", "collections")
    monkeypatch.setattr(collections, "Pair", Pair, raising=False)
    with pytest.raises(pickle.UnpicklingError, match=r"it names collections\.Pair, .* pass weights_only=False"):
        again(Pair(1, 2))
    assert again(Pair(1, 2), weights_only=False) == Pair(1, 2)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "x.pt").write_bytes(b"PK\x03\x04 of torch")
    with pytest.raises(pickle.UnpicklingError, match=r"x\.pt was not written by the converted torch\.save"):
        _load(tmp_path / "x.pt")
