"""Ranges, powers and random numbers: the rows of the torch map that use these helpers."""

import pytest
from torch_map_rows import rows_of

import sporax as ms
from sporax._src.migrate.helpers.tensors.creation import _set_default_dtype

TestRows = rows_of("sporax._src.migrate.helpers.tensors.creation")


def test_there_is_one_default_dtype() -> None:
    with pytest.raises(
        NotImplementedError, match="the default dtype is float32, not Float64; give each constructor dtype="
    ):
        _set_default_dtype(ms.float64)
