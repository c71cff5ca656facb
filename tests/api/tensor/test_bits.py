"""`Tensor.view`: shapes, and bytes as elements of another dtype, as NumPy views them; numbers of MindSpore 2.10."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor

X = np.arange(8, dtype=np.int32).reshape(2, 4)


@pytest.mark.parametrize(
    "dtype", "int8 int16 int32 int64 uint8 float16 float32 float64 complex64 complex128 bool".split()
)
def test_bytes_under_another_dtype(dtype: str, mode: int) -> None:
    kind = getattr(ms, dtype if dtype != "bool" else "bool_")
    bytes_seen = X.view(np.uint8) != 0 if dtype == "bool" else X.view(dtype)
    for x in (Tensor(X).view(kind), Tensor(X).view(dtype=kind), ms.jit(lambda x: x.view(kind))(Tensor(X))):
        assert x.dtype == kind
        np.testing.assert_array_equal(x.asnumpy(), bytes_seen)
    if dtype != "bool":
        np.testing.assert_array_equal(Tensor(X).view(kind).view(ms.int32).asnumpy(), X)


def test_bfloat16_and_a_number() -> None:
    assert Tensor(X).view(ms.bfloat16).shape == (2, 8)
    assert Tensor(1.0).view(ms.int32).asnumpy() == 1065353216


def test_elements_of_another_dtype_are_a_copy() -> None:
    x = Tensor(X)
    y = x.view(ms.int16)
    y[0, 0] = 9
    assert x.asnumpy().tolist() == X.tolist() and y.asnumpy()[0, 0] == 9


def test_shapes() -> None:
    for x in (Tensor(X).view(4, 2), Tensor(X).view((4, -1)), Tensor(X).view(shape=[4, 2])):
        assert x.shape == (4, 2)


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"a 0-d Tensor of 4 bytes cannot be viewed as elements of 2 bytes\."):
        Tensor(1.0).view(ms.int16)
    with pytest.raises(ValueError, match=r"the 12 bytes along the last axis must be a multiple of 8, the bytes of an"):
        Tensor([1.0, 2.0, 3.0]).view(ms.int64)
    with pytest.raises(TypeError, match=r"Tensor\.view takes a shape or a dtype, got both\."):
        Tensor(X).view((4, 2), dtype=ms.float32)
