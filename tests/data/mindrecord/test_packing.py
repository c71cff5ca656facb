"""How values of MindRecord are packed."""

import numpy as np
import pytest

from sporax._src.data.mindrecord.packing import pack, pack_integers, unpack, unpack_integers


def test_packing() -> None:
    rng = np.random.default_rng(1)
    for values in ([], [0, 127, -128], [128, -129, 3], [2**62, -(2**62)], rng.integers(-(2**63), 2**63 - 1, 1001)):
        array = np.array(values, np.int64)
        np.testing.assert_array_equal(unpack_integers(pack_integers(array), "int64"), array)
    value = {
        "s": "é" * 70000,
        "t": "x" * 300,
        "f": 0.1,
        "g": 2.5,
        "big": 2**63,
        "low": -(2**63),
        "b": True,
        "n": None,
        "i": np.inf,
    }
    assert unpack(pack(value)) == value
    assert unpack(pack({str(k): -k for k in range(40)})) == {str(k): -k for k in range(40)}
    with pytest.raises(TypeError, match="expected a number or text, got list"):
        pack([1])
    with pytest.raises(TypeError, match="does not fit into 64 bits"):
        pack(2**64)
    with pytest.raises(RuntimeError, match=r"not a map of numbers and text: .*max_array_len"):
        unpack(b"\x91\x01")
    with pytest.raises(RuntimeError, match=r"not a map of numbers and text: .*incomplete"):
        unpack(b"\xa5abc")
    with pytest.raises(RuntimeError, match="a map within its map"):
        unpack(pack({"a": {"b": 1}}))
    assert pack(2.5) == b"\xca\x40\x20\0\0" and len(pack(0.1)) == 9
