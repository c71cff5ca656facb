"""Mixed precision by the word of a row."""

import numpy as np
import pytest

from sporax._src.engine.amp import ByOperator

HALF = np.dtype(np.float16)


@pytest.mark.parametrize(
    ("word", "dtype"), [("half", HALF), ("float32", np.dtype(np.float32)), ("widest", "widest"), (None, None)]
)
def test_dtypes(word, dtype) -> None:
    assert ByOperator(HALF).of(word) == dtype
