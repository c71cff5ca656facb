"""Reductions over axes: sums, products, means, truth, counts, extremes, and the running forms of them."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.math.reduction")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint8])
@pytest.mark.parametrize("shape", [(3, 100), (100, 3), (2, 70, 2)])
def test_places_of_extrema_along_many_elements(dtype, shape):
    x = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    for axis in range(x.ndim):
        for name in ("argmax", "argmin"):
            got = getattr(ops, name)(Tensor(x), axis).asnumpy()
            np.testing.assert_array_equal(got, getattr(np, name)(x, axis))


@pytest.mark.of_cpus("a GPU gives the place of any of the NaNs")
def test_the_place_of_an_extremum_is_that_of_the_first_nan():
    x = np.arange(200, dtype=np.float32).reshape(2, 100)
    x[0, [7, 9]] = np.nan
    for name in ("argmax", "argmin"):
        np.testing.assert_array_equal(getattr(ops, name)(Tensor(x), 1).asnumpy(), getattr(np, name)(x, 1))
    signed = np.where(np.arange(100) % 2, 0.0, -0.0).astype(np.float32)
    assert [ops.argmax(Tensor(signed), 0).item(), ops.argmin(Tensor(signed), 0).item()] == [0, 0]


def test_reductions_take_no_numbers():
    for reduce in (ops.sum, ops.prod, ops.mean, ops.std, ops.var, ops.all, ops.any, ops.nansum):
        with pytest.raises(TypeError, match="must be a Tensor, got 1"):
            reduce(1)


@pytest.mark.parametrize("dtype", [ms.int8, ms.uint8, ms.int16, ms.bool_])
def test_the_method_adds_up_small_integers_as_int32(dtype):
    ms.set_context(pynative_synchronize=True)
    try:
        found = Tensor([1, 0, 1], dtype).cumsum(0)
    finally:
        ms.set_context(pynative_synchronize=False)
    assert found.dtype == ms.int32 and found.asnumpy().tolist() == [1, 1, 2]
