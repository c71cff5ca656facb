"""Dtypes: MindSpore's names for them, and those of NumPy and Python."""

import sporax as ms


def test_types_under_other_names() -> None:
    same = {ms.float16: ms.half, ms.float64: ms.double, ms.int8: ms.byte, ms.int64: ms.long, ms.uint32: ms.uintc}
    assert all(a is b for a, b in same.items())
    assert ms.qint4x2.name == "Int4" and ms.cfloat is ms.complex64
