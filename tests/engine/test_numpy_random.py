"""NumPy draws the random bits that JAX draws."""

import jax
import numpy as np
import pytest

from sporax._src.engine.numpy_programs import NotInNumPy, Program
from sporax._src.engine.numpy_random import threefry

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")

KEY = np.array([12345, 678], np.uint32)
DRAWS = {
    "bits": lambda k: [
        jax.random.bits(jax.random.fold_in(jax.random.wrap_key_data(k), 3), (3, 5), dtype)
        for dtype in (np.uint8, np.uint16, np.uint32, np.uint64)
    ],
    "uniform": lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (7,), np.float32),
    "bernoulli": lambda k: jax.random.bernoulli(jax.random.wrap_key_data(k), np.float32(0.3), (2, 9)),
    "none": lambda k: jax.random.bits(jax.random.wrap_key_data(k), (0, 3)),
    "the words of a key": lambda k: jax.random.key_data(jax.random.fold_in(jax.random.wrap_key_data(k), 2**31 + 5)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_bits_are_those_of_jax(name):
    fn = DRAWS[name]
    with np.errstate(over="ignore"):
        got = Program(jax.make_jaxpr(fn)(KEY))([KEY])
    for value, want in zip(got, jax.tree.leaves(jax.jit(fn)(KEY)), strict=True):
        np.testing.assert_array_equal(value, want, strict=True)


def test_known_words():
    """The words of the reference implementation for a key and counters of ones (Random123, kat_vectors)."""
    ones = np.full(2, 0xFFFFFFFF, np.uint32)
    words = threefry(ones, ones[:1], ones[:1])
    assert [int(word[0]) for word in words] == [0x1CB996FC, 0xBB002BE7]


@pytest.mark.parametrize(
    "fn",
    [
        lambda k: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(k))[0]),
        lambda k: jax.random.bits(jax.random.wrap_key_data(np.zeros(4, np.uint32), impl="rbg"), (2,)),
    ],
    ids=["several keys", "another generator"],
)
def test_what_is_left_to_xla(fn):
    with pytest.raises(NotInNumPy):
        Program(jax.make_jaxpr(fn)(KEY))
