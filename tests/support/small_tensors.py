"""Small Tensors for the tests of methods and reductions, and the comparison of results with numbers."""

import numpy as np

import sporax as ms
from sporax import Tensor

F = np.array([[3.0, 1.0, 2.0], [2.0, 3.0, 3.0]], np.float32)


def f() -> Tensor:
    return Tensor(F)


def ones(*shape: int, dtype: type = np.float32) -> Tensor:
    return Tensor(np.ones(shape, dtype))


def check(got, dtype, value):
    """A tuple of results, or one: dtype by name, and values."""
    if isinstance(got, tuple):
        for g, d, v in zip(got, dtype, value, strict=True):
            check(g, d, v)
        return
    assert got.dtype == getattr(ms, dtype)
    np.testing.assert_allclose(got.asnumpy(), value, rtol=1e-5)
