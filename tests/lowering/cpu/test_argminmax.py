"""The place of an extremum by two reductions: the first one, or that of the first NaN."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.lowering.cpu import argminmax


@pytest.mark.parametrize("at", range(2))
def test_the_first_of_equal_elements_and_nan(at: int) -> None:
    lowering, numpy = argminmax.LOWERINGS[at], (np.argmax, np.argmin)[at]
    x = np.random.default_rng(0).integers(0, 4, (5, 80)).astype(np.float32)
    x[1, 7] = x[1, 30] = np.nan
    got = lowering.fn(jnp.asarray(x), axes=(1,), index_dtype=np.dtype(np.int32))
    assert got.dtype == np.int32 and got.tolist() == numpy(x, 1).tolist()


def test_it_is_for_long_axes() -> None:
    fits = argminmax.LOWERINGS[0].fits
    assert fits(jax.ShapeDtypeStruct((2, 64), np.float32), axes=(1,))
    assert not fits(jax.ShapeDtypeStruct((2, 63), np.float32), axes=(1,))
    assert not fits(jax.ShapeDtypeStruct((2, 64), np.bool_), axes=(1,))
    assert {low.primitive for low in argminmax.LOWERINGS} == {lax.argmax_p, lax.argmin_p}
