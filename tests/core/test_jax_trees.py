"""Functions of JAX take Tensors and Parameters: as trees, and for their arrays."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import sporax as ms
from sporax import Parameter, Tensor


def test_transforms_take_and_return_tensors() -> None:
    t = Tensor([1.0, 2.0])
    doubled = jax.jit(lambda x: x * 2)(t)
    assert type(doubled) is Tensor and doubled.asnumpy().tolist() == [2.0, 4.0]
    tree = jax.tree.map(lambda a: a + 1, {"a": t, "b": [t]})
    assert tree["b"][0].asnumpy().tolist() == [2.0, 3.0]
    grads = jax.grad(lambda x: jnp.sum(jnp.square(x["a"])))({"a": t})
    assert type(grads["a"]) is Tensor and grads["a"].asnumpy().tolist() == [2.0, 4.0]


def test_parameters_stay_parameters_of_their_name() -> None:
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    grads = jax.grad(lambda p: jnp.sum(p["w"] ** 2))({"w": w})
    assert type(grads["w"]) is Parameter and grads["w"].name == "w"
    transformation = optax.sgd(0.5)
    updates, _ = transformation.update(grads, transformation.init({"w": w}), {"w": w})
    assert optax.apply_updates({"w": w}, updates)["w"].asnumpy().tolist() == [0.0, 0.0]
    assert w.asnumpy().tolist() == [1.0, 2.0]


def test_functions_of_jax_compute_with_the_array() -> None:
    t, ones = Tensor([0.0, 1.0]), jnp.ones(2, jnp.float32)
    assert isinstance(jnp.exp(t), jax.Array)
    assert isinstance(ones + t, jax.Array) and type(t + ones) is Tensor
    np.testing.assert_allclose(jnp.exp(t), np.exp([0.0, 1.0]), rtol=1e-6)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_no_part_of_a_gradient_is_lost(mode: int) -> None:
    """An array of JAX times a Tensor is a Tensor there, and functions of JAX refuse what they would not record."""
    ms.set_context(mode=mode)
    k, t = jnp.full(2, 3.0, jnp.float32), Tensor([1.0, 2.0])
    assert ms.grad(lambda x: (x * (k * x)).sum())(t).asnumpy().tolist() == [6.0, 12.0]
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    jnp.sin(t)  # JAX keeps what it has compiled, and asks no more what a Tensor is
    for call in (jnp.sin, jax.jit(lambda a: a * 2), lambda a: jax.tree.map(jnp.sin, [a])[0]):
        refused = [ms.grad(lambda y, call=call: call(y).sum())]
        for x in (t, w):
            refused.append(ms.grad(lambda y, x=x, call=call: (y * call(x)).sum()))
            refused.append(ms.jit(lambda y, x=x, call=call: y * call(x)))
        for program in refused:
            with pytest.raises(TypeError, match=r"function of JAX takes no Tensor|sporax\.Tensor"):
                program(t)
