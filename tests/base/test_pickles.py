"""Pickles of plain values and arrays are read, and those that name anything else are not."""

import io
import os
import pickle

import numpy as np
import pytest

from sporax._src.base.pickles import plain_values


def test_values_and_arrays() -> None:
    value = {"data": np.arange(6, dtype=np.float32).reshape(2, 3), "labels": [1, 2], "name": "x"}
    found = plain_values(io.BytesIO(pickle.dumps(value)))
    np.testing.assert_array_equal(found.pop("data"), value.pop("data"))
    assert found == value


def test_strings_of_python_2() -> None:
    text = b"S'caf\\xe9'\n."
    assert plain_values(io.BytesIO(text), "latin1") == "café"
    with pytest.raises(UnicodeDecodeError):
        plain_values(io.BytesIO(text))


def test_functions_are_refused() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"it names posix\.getcwd, which no data set needs"):
        plain_values(io.BytesIO(pickle.dumps(os.getcwd)))
