"""Conversion of numbers between dtypes at their edges, as MindSpore's CPU has it."""

import numpy as np

from sporax._src.core.conversion import converted


def test_conversion_of_numbers() -> None:
    """What a kernel holds as a number of Python's or NumPy's is converted as arrays are."""
    assert [int(converted(v, np.uint8)) for v in (300.2, np.float32(300.2), np.array(-1.7))] == [44, 44, 255]
    assert int(converted(np.nan, np.int32)) == -(2**31) and converted(3 + 1j, np.int32).dtype == np.int32
