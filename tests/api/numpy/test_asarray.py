"""`numpy.asarray`: arrays of Python numbers, of NumPy's arrays and of Tensors."""

from typing import Any

import numpy as np
import pytest
from numpy_laws import calls_of

import sporax as ms
import sporax.numpy as mnp

test_function = calls_of("sporax._src.api.numpy.asarray")


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(1, ms.int32), (1.5, ms.float32), (True, ms.bool_), ([1, 2], ms.int32), ((1.0, 2), ms.float32), ([True], ms.bool_),
     (np.arange(2), ms.int64), (np.ones(2), ms.float64), (ms.Tensor([1]), ms.int64)],
)  # fmt: skip
def test_asarray(value: Any, dtype: Any) -> None:
    """Python numbers become 32-bit types; arrays and Tensors keep theirs."""
    assert mnp.asarray(value).dtype == dtype
    assert mnp.asarray(value, "float16").dtype == ms.float16


@pytest.mark.parametrize("name", ["asarray", "empty_like", "zeros_like", "sum"])
def test_unequal_lengths(name: str) -> None:
    with pytest.raises(ValueError, match=r"numpy.asarray: nested sequences must have equal lengths, got \[\[1, 2"):
        getattr(mnp, name)([[1, 2, 3], [4, 5]])
