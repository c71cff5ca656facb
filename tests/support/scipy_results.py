"""The comparison of results of  with SciPy's."""

from typing import Any

import numpy as np

from sporax import Tensor

A = np.array([[4.0, 1, 2], [1, 3, 0], [2, 0, 5]], np.float32)


def plain(x: Any) -> Any:
    return tuple(map(plain, x)) if isinstance(x, tuple) else x.asnumpy() if isinstance(x, Tensor) else np.asarray(x)


def assert_same(got: Any, expected: Any) -> None:
    for g, e in zip(*(x if isinstance(x, tuple) else (x,) for x in (plain(got), expected)), strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)


def square(x: Tensor) -> Tensor:
    return (x * x).sum()
