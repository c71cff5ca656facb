"""Bits of some rows are those of the whole array."""

import jax
import jax.extend.random
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.lowering.random_rows import are_numbered, bits_of_rows


@pytest.mark.parametrize("shape", [(5, 7), (3, 5, 7), (2, 3, 5, 7)])
def test_they_are_those_of_the_whole_array(shape: tuple[int, ...]) -> None:
    key = jax.random.fold_in(jax.random.key(3), 4)
    whole = jax.random.bits(key, shape, "uint32")
    for first, size in ((0, (5, 7)), (2, (3, 4)), (4, (1, 7))):
        rows, columns = slice(first, first + size[0]), slice(size[1])
        np.testing.assert_array_equal(bits_of_rows(key, shape, jnp.int32(first), size), whole[..., rows, columns])


def test_numbers_beyond_32_bits() -> None:
    """The last rows of 2³² numbers and more, of which JAX computes no part: by 64-bit numbers here."""
    key, shape, first = jax.random.key(5), (3, 40_000, 50_000), 39_998
    got = bits_of_rows(key, shape, first, (2, 3))
    for part in range(3):
        for row in range(2):
            for column in range(3):
                number = (part * shape[1] + first + row) * shape[2] + column
                words = jnp.asarray([number >> 32, number & 0xFFFFFFFF], "uint32")
                one, other = jax.extend.random.threefry_2x32(jax.random.key_data(key), words)
                assert got[part, row, column] == one ^ other


def test_which_keys_draw_by_number() -> None:
    assert are_numbered(jax.random.key(0))
    assert not are_numbered(jax.random.key(0, impl="rbg"))
    assert not are_numbered(jax.random.PRNGKey(0))
