"""Functions of `numpy` that make arrays."""

import numpy as np
import pytest
from laws.operators import assert_equal
from numpy_laws import calls_of

import sporax as ms
import sporax.numpy as mnp

test_function = calls_of("sporax._src.api.numpy.creation")


def test_grids() -> None:
    """Index expressions make grids."""
    assert_equal(mnp.mgrid[0:3, 0:2], np.mgrid[0:3, 0:2])
    assert_equal(mnp.mgrid[0:1:3j], np.mgrid[0:1:3j].astype(np.float32))
    assert_equal(mnp.ogrid[0:3, 0:2], list(np.ogrid[0:3, 0:2]))


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
def test_triangles_of_floats(name: str) -> None:
    for k in (1.0, -2.0, 0.0):
        assert_equal(getattr(mnp, name)(4.0, k, 3.0), getattr(np, name)(4, k, 3))


def test_draws() -> None:
    """Random numbers have the shape and range asked for, and start again with the seed."""
    ms.set_seed(1)
    first = mnp.rand(2, 3).asnumpy()
    assert ((first >= 0) & (first < 1)).all() and mnp.randn(2, dtype="float16").dtype == ms.float16
    assert set(mnp.randint(2, 4, (50,)).tolist()) == {2, 3} and mnp.randint(3).shape == (1,)
    ms.set_seed(1)
    np.testing.assert_array_equal(mnp.rand(2, 3).asnumpy(), first)
