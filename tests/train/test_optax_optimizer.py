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

    def init(self, params: list[jax.Array]) -> Any:
        return {"count": jnp.zeros((), jnp.int32), "trace": [jnp.zeros_like(p) for p in params]}

    def update(self, grads: list[jax.Array], state: Any, params: list[jax.Array]) -> Any:
        trace = [g + 0.9 * t for g, t in zip(grads, state["trace"], strict=True)]
        return [-self.rate * t for t in trace], {"count": state["count"] + 1, "trace": trace}


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
    assert [part.name for part in again.optimizer.state[:2]] == ["optax.0['count']", "optax.1['trace'][0]"]


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


def test_errors() -> None:
    w = ms.Parameter(ops.ones((2,)), name="w")
    with pytest.raises(
        TypeError, match=r"transformation must have init and update, as optax.adam\(0.001\) has, got 0.1"
    ):
        train.OptaxOptimizer([w], 0.1)
    with pytest.raises(ValueError, match="OptaxOptimizer: expected a tuple of 1 gradients, got 0"):
        train.OptaxOptimizer([w], Heavy())(())
    net = nn.Dense(3, 1)
    with pytest.raises(TypeError, match=r"optimizer must be an optimizer, .* Write train.OptaxOptimizer\(params, it\)"):
        nn.TrainOneStepCell(net, Heavy())
    with pytest.raises(TypeError, match=r"optimizer must be an Optimizer, .* Write train.OptaxOptimizer\(params, it\)"):
        ms.Model(net, nn.MSELoss(), Heavy())  # pyright: ignore[reportArgumentType]
