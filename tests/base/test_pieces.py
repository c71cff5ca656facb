"""What of an array this process has."""

import types

import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.base.pieces import on_first_device, piece_here


def test_an_array_of_this_process_is_its_piece() -> None:
    x = jnp.ones(2)
    assert piece_here(x) is x
    assert on_first_device(x) is x


def _global(**shards: np.ndarray) -> types.SimpleNamespace:
    """Return an array with shards at places such as `at_0_2`: where they start along each axis."""
    pieces = [
        types.SimpleNamespace(index=tuple([slice(int(i), None) for i in place.split("_")[1:]]), data=data)
        for place, data in shards.items()
    ]
    return types.SimpleNamespace(is_fully_addressable=False, addressable_shards=pieces, shape=(4, 4))


def test_shards_of_one_process_are_joined_if_they_are_one_part() -> None:
    x = np.arange(16.0).reshape(4, 4)
    part = _global(at_0_0=x[:2, :2], at_0_2=x[:2, 2:], at_2_0=x[2:, :2], at_2_2=x[2:, 2:])
    assert np.array_equal(piece_here(part), x)
    with pytest.raises(RuntimeError, match=r"do not hold one part of an array of shape \[4, 4\]"):
        piece_here(_global(at_0_0=x, at_2_2=x))
