"""OptaxOptimizer: transformations of optax train what `nn` trains, in both modes."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from executables import executables

import sporax as ms
from sporax import nn, ops, train


class Heavy(NamedTuple):
    """Momentum, as an object of optax; the count is a state that is no list."""

    rate: float = 0.1

    def init(self, params: dict[str, jax.Array]) -> Any:
        return {"count": jnp.zeros((), jnp.int32), "trace": jax.tree.map(jnp.zeros_like, params)}

    def update(self, grads: dict[str, jax.Array], state: Any, params: list[jax.Array]) -> Any:
        trace = jax.tree.map(lambda g, t: g + 0.9 * t, grads, state["trace"])
        return jax.tree.map(lambda t: -self.rate * t, trace), {"count": state["count"] + 1, "trace": trace}


def step_of(make: Any) -> nn.TrainOneStepCell:
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), make(net.trainable_params()))


ROWS = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
X, Y = ms.Tensor(ROWS), ms.Tensor(ROWS.sum(1, keepdims=True))


def test_losses_are_those_of_the_optimizer_of_nn(mode: int) -> None:
    ours = step_of(lambda params: train.OptaxOptimizer(params, Heavy()))
    theirs = step_of(lambda params: nn.Momentum(params, 0.1, 0.9))
    losses = [(float(ours(X, Y)), float(theirs(X, Y))) for _ in range(6)]
    np.testing.assert_allclose(*zip(*losses, strict=True), rtol=1e-5)
    assert [part.asnumpy().tolist() for part in ours.optimizer.state[:1]] == [6]


def test_the_rate_and_the_loss_scale_are_factors(mode: int) -> None:
    plain = step_of(lambda params: train.OptaxOptimizer(params, Heavy(0.05)))
    scaled = step_of(lambda params: train.OptaxOptimizer(params, Heavy(), learning_rate=0.5, loss_scale=4.0))
    scaled.sens, scaled.sense_flag = 4.0, True
    for _ in range(3):
        np.testing.assert_allclose(float(plain(X, Y)), float(scaled(X, Y)), rtol=1e-5)


def test_the_state_is_in_checkpoints(tmp_path: Any) -> None:
    step = step_of(lambda params: train.OptaxOptimizer(params, Heavy()))
    step(X, Y)
    path = str(tmp_path / "step.ckpt")
    ms.save_checkpoint(step, path)
    later = [float(step(X, Y)) for _ in range(2)]
    again = step_of(lambda params: train.OptaxOptimizer(params, Heavy()))
    assert ms.load_param_into_net(again, ms.load_checkpoint(path)) == ([], [])
    assert [float(again(X, Y)) for _ in range(2)] == later
    assert [part.name for part in again.optimizer.state[:2]] == ["optax['count']", "optax['trace']['0.bias']"]


def test_a_state_goes_to_the_parameters_of_its_names(tmp_path: Any) -> None:
    def optimizer(order: int) -> train.OptaxOptimizer:
        return train.OptaxOptimizer(step.network.trainable_params()[::order], Heavy())

    step = step_of(lambda params: nn.SGD(params))
    made, path = optimizer(1), str(tmp_path / "state.ckpt")
    grads = ms.grad(step.network, None, made.parameters)(X, Y)
    made(grads)
    ms.save_checkpoint(made, path)
    other = optimizer(-1)
    ms.load_param_into_net(other, ms.load_checkpoint(path))
    for optimizer_of_names in (made, other):
        found = {part.name: part.asnumpy() for part in optimizer_of_names.state}
        np.testing.assert_array_equal(found["optax['trace']['0.weight']"], grads[0].asnumpy())


def test_keys_of_random_numbers_are_saved(mode: int, tmp_path: Any) -> None:
    class Noisy(NamedTuple):
        def init(self, params: dict[str, jax.Array]) -> Any:
            return jax.random.key(3)

        def update(self, grads: dict[str, jax.Array], state: Any, params: Any) -> Any:
            key, now = jax.random.split(state)
            noise = jax.random.normal(now, dtype=jnp.float32)
            return jax.tree.map(lambda g: -0.01 * (g + noise), grads), key

    step, path = step_of(lambda params: train.OptaxOptimizer(params, Noisy())), str(tmp_path / "step.ckpt")
    step(X, Y)
    ms.save_checkpoint(step, path)
    later = [float(step(X, Y)) for _ in range(3)]
    again = step_of(lambda params: train.OptaxOptimizer(params, Noisy()))
    ms.load_param_into_net(again, ms.load_checkpoint(path))
    assert [float(again(X, Y)) for _ in range(3)] == later


def test_groups_decay_weights_as_those_of_nn_do(mode: int) -> None:
    def groups(params: list[Any]) -> list[dict[str, Any]]:
        return [{"params": params[:2], "weight_decay": 0.5}, {"params": params[2:], "lr": 0.05}]

    class Descent(NamedTuple):
        init = lambda self, params: ()
        update = lambda self, grads, state, params: (jax.tree.map(jnp.negative, grads), state)

    ours = step_of(lambda params: train.OptaxOptimizer(groups(params), Descent(), 0.1))
    theirs = step_of(lambda params: nn.SGD(groups(params), 0.1))
    losses = [(float(ours(X, Y)), float(theirs(X, Y))) for _ in range(5)]
    np.testing.assert_allclose(*zip(*losses, strict=True), rtol=1e-5)


def test_a_model_trains_with_it() -> None:
    net = nn.Dense(3, 1)
    model = ms.Model(net, nn.MSELoss(), train.OptaxOptimizer(net.trainable_params(), Heavy(0.02)))
    history = model.fit(30, ms.dataset.NumpySlicesDataset((ROWS, Y.asnumpy()), ["x", "y"]).batch(4))
    assert history.history["loss"][-1] < 0.05 * history.history["loss"][0]


def test_a_step_is_compiled_once(mode: int) -> None:
    step = step_of(lambda params: train.OptaxOptimizer(params, Heavy()))
    counts = []
    for _ in range(4):
        step(X, Y)
        counts.append(executables())
    assert counts[1] == counts[3]


def test_transformations_of_optax(mode: int) -> None:
    optax = pytest.importorskip("optax")
    with jax.numpy_dtype_promotion("standard"):  # optax needs it
        _compare(optax)


def _compare(optax: Any) -> None:
    chain = optax.chain(optax.clip_by_global_norm(0.5), optax.adamw(optax.cosine_decay_schedule(0.1, 5)))
    step = step_of(lambda params: train.OptaxOptimizer(params, chain))
    pure, params = step.network.functional()
    state, wanted = chain.init(params), []
    for _ in range(5):
        loss, grads = jax.value_and_grad(lambda p: jnp.asarray(pure(p, X.asnumpy(), Y.asnumpy())))(params)
        updates, state = chain.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        wanted.append(float(loss))
    np.testing.assert_allclose([float(step(X, Y)) for _ in range(5)], wanted, rtol=1e-5)


class Odd(NamedTuple):
    """A transformation whose update is not what it must be."""

    update: Any

    def init(self, params: Any) -> Any:
        return jnp.zeros((), jnp.int32)


@jax.numpy_dtype_promotion("standard")
def test_errors() -> None:
    w = ms.Parameter(ops.ones((2,)), name="w")
    with pytest.raises(
        TypeError, match=r"transformation must have init and update, as optax.adam\(0.001\) has, got 0.1"
    ):
        train.OptaxOptimizer([w], 0.1)
    with pytest.raises(ValueError, match="OptaxOptimizer: expected a tuple of 1 gradients, got 0"):
        train.OptaxOptimizer([w], Heavy())(())
    with pytest.raises(TypeError, match=r"does not take gradients alone: .* 'value'"):
        train.OptaxOptimizer([w], Odd(lambda grads, state, params, *, value: (grads, state)))
    with pytest.raises(TypeError, match=r"must return updates like what it takes, \{'w': 'float\[2\]'\}, got \{\}"):
        train.OptaxOptimizer([w], Odd(lambda grads, state, params: ({}, state)))
    with pytest.raises(TypeError, match=r"must return a state like what it takes, int\[\], got float\[\]"):
        train.OptaxOptimizer([w], Odd(lambda grads, state, params: (grads, state * jnp.float32(0.9))))
    net = nn.Dense(3, 1)
    with pytest.raises(TypeError, match=r"optimizer must be an optimizer, .* Write train.OptaxOptimizer\(params, it\)"):
        nn.TrainOneStepCell(net, Heavy())
    with pytest.raises(TypeError, match=r"optimizer must be an Optimizer, .* Write train.OptaxOptimizer\(params, it\)"):
        ms.Model(net, nn.MSELoss(), Heavy())  # pyright: ignore[reportArgumentType]
