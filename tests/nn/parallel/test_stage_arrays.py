"""The arrays of a stage in one process with one device: nothing is placed, batches are cut."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp

from sporax import Parameter, Tensor
from sporax._src.nn.parallel.stage_arrays import Arrays


def arrays() -> Arrays:
    return Arrays(SimpleNamespace(states=[Parameter(Tensor([1.0, 2.0]), name="w")], placed={}))


def test_values_between_stages_stay_where_they_are() -> None:
    made, aval = arrays(), jax.ShapeDtypeStruct((2, 3), jnp.float32)
    assert made.whole is None and made.between(aval) is None
    assert made.full(aval, 0.5).tolist() == [[0.5] * 3] * 2
    assert made.joined(made.piece(jnp.ones(3)), aval).tolist() == [1, 1, 1]


def test_states() -> None:
    made = arrays()
    assert made.zeros(0).tolist() == [0, 0] and made.state(0).tolist() == [1, 2]
    assert made.state(0, jnp.ones(2)).tolist() == [1, 1]
    made.set_piece(0, made.piece(jnp.asarray([3.0, 4.0])))
    made.agree([0])
    assert made.state(0).tolist() == [3, 4]


def test_parts_of_a_batch() -> None:
    made = arrays()
    for parts in (made.parts_of, made.whole_parts_of):
        assert [part.tolist() for part in parts(jnp.arange(6.0).reshape(6, 1), 2)] == [[[0], [1], [2]], [[3], [4], [5]]]
        assert [part.tolist() for part in parts(jnp.asarray(2.0), 3)] == [2, 2, 2]
