"""`Cell.functional` computes what the Cell computes, for JAX's transforms and for optax."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn

X = np.random.default_rng(0).normal(size=(16, 4)).astype(np.float32)
Y = X.sum(1, keepdims=True)


class Both(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(4, 2)

    def construct(self, x, scale=1.0):
        return {"y": self.fc(x["in"]) * scale, "shape": x["in"].shape}


def test_takes_and_returns_nested_arrays() -> None:
    net = Both()
    pure, trained = net.functional()
    assert sorted(trained) == ["fc.bias", "fc.weight"]
    result = pure(trained, {"in": X}, scale=2.0)
    assert isinstance(result["y"], jax.Array) and result["shape"] == (16, 4)
    np.testing.assert_allclose(result["y"], net({"in": Tensor(X)}, scale=2.0)["y"].asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(pure)(trained, {"in": Tensor(X)})["y"] * 2, result["y"], rtol=1e-6)


def test_gradients_are_those_of_sporax() -> None:
    net, loss = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 1)), nn.MSELoss()
    pure, trained = net.functional()
    found = jax.grad(lambda p: jnp.mean((pure(p, X) - Y) ** 2))(trained)
    wanted = ms.grad(lambda x: loss(net(x), Tensor(Y)), None, net.trainable_params())(Tensor(X))
    for name, grad in zip(dict(net.parameters_and_names()), wanted, strict=True):
        np.testing.assert_allclose(found[name], grad.asnumpy(), rtol=1e-5, atol=1e-6)


@jax.numpy_dtype_promotion("standard")  # optax mixes floats with integers
def test_trains_by_optax() -> None:
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1))
    pure, trained = net.functional()
    before = {name: np.array(value) for name, value in trained.items()}
    transformation = optax.adam(0.05)

    @jax.jit
    def step(params, state):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((pure(p, X) - Y) ** 2))(params)
        updates, state = transformation.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    params, state = trained, transformation.init(trained)
    losses = []
    for _ in range(40):
        params, state, loss = step(params, state)
        losses.append(float(loss))
    assert losses[-1] < 0.1 * losses[0]
    for name, parameter in net.parameters_and_names():
        np.testing.assert_array_equal(parameter.asnumpy(), before[name])  # pure: the Cell has not changed
    ms.load_param_into_net(net, {name: Parameter(Tensor(value)) for name, value in params.items()})
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), pure(params, X), rtol=1e-5, atol=1e-6)


def test_mutable_returns_what_a_call_writes() -> None:
    net = nn.SequentialCell(nn.BatchNorm1d(4)).set_train()
    pure, trained, others = net.functional(mutable=True)
    assert sorted(others) == ["0.moving_mean", "0.moving_variance"]
    result, new = jax.jit(pure)(trained, others, X)
    np.testing.assert_allclose(net[0].moving_mean.asnumpy(), 0)
    np.testing.assert_allclose(result, net(Tensor(X)).asnumpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(new["0.moving_mean"], net[0].moving_mean.asnumpy(), rtol=1e-5, atol=1e-7)


def test_refuses_to_lose_what_a_call_writes() -> None:
    pure, trained = nn.SequentialCell(nn.BatchNorm1d(4)).set_train().functional()
    with pytest.raises(ValueError, match=r"a call writes '0.moving_mean'; use functional\(mutable=True\) or set_train"):
        pure(trained, X)
    pure, trained = nn.Dropout(p=0.5).set_train().functional()
    with pytest.raises(ValueError, match=r"Dropout.functional: a call draws random numbers; use set_train\(False\)\."):
        pure(trained, X)


def test_names_must_be_those_it_gave() -> None:
    pure, _ = nn.Dense(4, 1).functional()
    with pytest.raises(ValueError, match=r"these differ: \['bias', 'w', 'weight'\]"):
        pure({"w": X}, X)
