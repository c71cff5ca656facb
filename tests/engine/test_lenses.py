"""Lenses: where the elements of a view go back to, and how they lie in memory."""

import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.engine import lenses

X = np.arange(12, dtype=np.float32).reshape(3, 4)
VIEWS = {
    "transpose": lambda x: x.T,
    "reshape": lambda x: x.reshape(2, 6),
    "slice": lambda x: x[1:, ::2],
    "reverse": lambda x: jnp.flip(x, 1),
    "several": lambda x: jnp.expand_dims(x.T[1:3], 1),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_value_goes_back_to_where_it_was_taken(name: str) -> None:
    view = VIEWS[name]
    value = -1 - jnp.arange(view(jnp.asarray(X)).size, dtype=jnp.float32).reshape(view(jnp.asarray(X)).shape)
    put = lenses.put(view, 0, value, jnp.asarray(X))
    np.testing.assert_array_equal(view(put), value)
    taken = np.isin(X, np.asarray(view(jnp.asarray(X))))
    np.testing.assert_array_equal(np.asarray(put)[~taken], X[~taken])


@pytest.mark.parametrize("name", VIEWS)
def test_elements_lie_as_numpys_do(name: str) -> None:
    moves = lenses.operations(VIEWS[name], 0, [jnp.asarray(X)])
    found = lenses.strided(moves, X)
    assert found is not None and np.shares_memory(found, X)
    np.testing.assert_array_equal(found, VIEWS[name](jnp.asarray(X)))


def test_what_computes_is_no_view() -> None:
    assert lenses.operations(lambda x: x.T.reshape(12), 0, [jnp.asarray(X)]) is not None
    assert lenses.strided(lenses.operations(lambda x: x.T.reshape(12), 0, [jnp.asarray(X)]), X) is None
    assert lenses.strided(None, X) is None


def test_places_count_in_row_major_order() -> None:
    got = lenses.put_at(jnp.zeros((2, 2)), jnp.asarray([3, 0]), jnp.asarray([5.0, 6.0]))
    assert got.tolist() == [[6.0, 0.0], [0.0, 5.0]]
