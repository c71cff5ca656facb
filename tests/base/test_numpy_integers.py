"""64-bit integers are of the type that a program for MindSpore expects, while it runs one."""

import numpy as np

from sporax._src.base import numpy_integers


def test_integers_as_served() -> None:
    array, other = np.arange(2, dtype="l"), np.arange(2, dtype=np.int32)
    assert numpy_integers.as_served(array) is array
    numpy_integers.serve(True)
    try:
        served = numpy_integers.as_served(array)
        assert served.dtype.char == "q" and served.dtype == np.int64 and served.tolist() == [0, 1]
        assert numpy_integers.as_served(other) is other
    finally:
        numpy_integers.serve(False)
    assert numpy_integers.as_served(array) is array
