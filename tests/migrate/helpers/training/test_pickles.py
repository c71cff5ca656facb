"""Pickles of plain values and arrays are read, and what names a function is refused before it is called."""

import codecs
import collections
import io
import os
import pickle

import numpy as np
import pytest

from sporax._src.migrate.helpers.training.pickles import _plain_values

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
PLAIN = [
    None, 3, 1.5, 1j, "text", b"bytes", b"", b"\x00\xe9\xff", bytearray(b"more"), [1, (2, {"a": None})], {1, 2}, frozenset({3}),
    range(4), slice(1, 5, 2), collections.OrderedDict(b=1, a=2), collections.Counter("aab"),
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_plain_values_are_read(value, protocol):
    found = _plain_values(io.BytesIO(pickle.dumps(value, protocol)))
    assert type(found) is type(value) and found == value


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "value", [np.arange(6.0).reshape(2, 3), np.float32(3), np.array("text"), np.zeros((0, 2), bool)], ids=repr
)
def test_arrays_are_read(value, protocol):
    found = _plain_values(io.BytesIO(pickle.dumps(value, protocol)))
    assert type(found) is type(value) and found.dtype == value.dtype
    np.testing.assert_array_equal(found, value)


def test_a_dict_with_a_default_is_read():
    found = _plain_values(io.BytesIO(pickle.dumps(collections.defaultdict(list, a=[1]))))
    assert found["a"] == [1] and found["b"] == []


def test_bytes_of_python_2_are_read_as_the_encoding_says():
    content = b"S'\\xe9'\n."
    assert _plain_values(io.BytesIO(content), encoding="latin1") == "é"
    with pytest.raises(UnicodeDecodeError):
        _plain_values(io.BytesIO(content))


@pytest.mark.parametrize("encoding", ["zlib_codec", "hex", "utf-16"])
def test_bytes_of_other_encodings_are_refused(encoding):
    with pytest.raises(pickle.UnpicklingError, match=f"it has bytes in the encoding {encoding}, not latin1"):
        _plain_values(io.BytesIO(pickle.dumps(Caller(codecs.encode, "text", encoding), 2)))


class Caller:
    """An object whose pickle names a function to be called."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("function", [os.mkdir, eval, getattr, np.save], ids=lambda function: function.__name__)
def test_what_names_a_function_is_refused(function, tmp_path):
    with pytest.raises(
        pickle.UnpicklingError, match=rf"it names \w.*\.{function.__name__}, which is not a plain value"
    ):
        _plain_values(io.BytesIO(pickle.dumps([1, Caller(function, str(tmp_path / "planted"))])))
    assert not (tmp_path / "planted").exists()
