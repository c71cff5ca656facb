"""Conversions by NumPy give XLA's bits."""

import jax
import numpy as np
import pytest
from jax import lax

from sporax._src.engine.numpy_programs import NotInNumPy, Program

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")

X = np.array([[-3.5, 1e20, np.nan, -np.inf], [0.49, 255.7, -0.0, 2.5]], np.float32)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.bool_, np.float64])
def test_conversions(dtype):
    agree(lambda x: x.astype(dtype))


def test_bits_of_floats():
    agree(lambda x: lax.bitcast_convert_type(x.T, np.int32))


def test_all_bits_are_kept():
    agree(lambda x: lax.reduce_precision(x, 8, 23))


@pytest.mark.parametrize(
    "fn", [lambda x: lax.reduce_precision(x, 5, 10), lambda x: lax.bitcast_convert_type(x, np.int8)]
)
def test_what_is_left_to_xla(fn):
    with pytest.raises(NotInNumPy):
        Program(jax.make_jaxpr(fn)(X))


def agree(fn):
    (result,) = Program(jax.make_jaxpr(fn)(X))([X])
    wanted = np.asarray(jax.jit(fn)(X))
    assert result.dtype == wanted.dtype
    np.testing.assert_array_equal(result, wanted)
