"""A network run by pipeline stages: its parts, and a run of the only stage of a pipeline."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn
from sporax._src.nn.parallel.pipeline import StagedNetwork
from sporax._src.nn.parallel.stage_runner import StageRun, _sizes
from sporax._src.processes.parallel_context import Pipelining

X, Y = np.arange(8, dtype=np.float32).reshape(4, 2), np.ones((4, 1), np.float32)
WEIGHTS = jnp.ones((1, 2), np.float32), jnp.zeros(1, np.float32)


class Loss(nn.Cell):
    """The mean square of what a layer misses."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        self.fc.pipeline_stage = 0

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return ((self.fc(x) - y) ** 2).mean()


@pytest.fixture(params=["1f1b", "gpipe"])
def run(request: pytest.FixtureRequest) -> StageRun:
    """Return the run of the graph of a micro batch of two rows, on one stage."""
    graph = StagedNetwork(Loss(), "PipelineCell")._graph(2, (Tensor(X), Tensor(Y)), {})
    return StageRun(graph, Pipelining(1, False, request.param, 1), "test", "PipelineCell")


def reference(w: jax.Array, b: jax.Array) -> jax.Array:
    """Return the sum of the losses of the two micro batches."""
    rows = zip(X.reshape(2, 2, 2), Y.reshape(2, 2, 1), strict=True)
    return jnp.stack([((x @ w.T + b - y) ** 2).mean() for x, y in rows]).sum()


def test_losses_and_gradients_are_summed_over_micro_batches(run: StageRun) -> None:
    assert [state.name for state in run.states[:2]] == ["fc.weight", "fc.bias"]
    (loss,), gradients = run.run([jnp.asarray(X), jnp.asarray(Y)], 2, [0, 1])
    w, b = WEIGHTS
    np.testing.assert_allclose(loss, reference(w, b), rtol=1e-6)
    for i, want in enumerate(jax.grad(reference, (0, 1))(w, b)):
        np.testing.assert_allclose(gradients[i], want, rtol=1e-6)
    assert run.largest == {np.dtype(np.float32): max(float(jnp.abs(g).max()) for g in gradients.values())}
    assert run.max_in_flight == {"1f1b": 1, "gpipe": 2}[run._how.scheduler]


def test_without_gradients_nothing_is_kept(run: StageRun) -> None:
    (loss,), gradients = run.run([jnp.asarray(X), jnp.asarray(Y)], 2, [])
    assert gradients == {} and run.max_in_flight == 0
    np.testing.assert_allclose(loss, reference(*WEIGHTS), rtol=1e-6)


def test_a_part_is_compiled_once_for_the_same_states(run: StageRun) -> None:
    (part,) = run._own
    assert run.compiled(part, [0]) is run.compiled(part, [0])
    assert run.compiled(part, [0]).moved == [0] and run.compiled(part, [0, 1]).moved == [0, 1]


def test_the_next_run_starts_with_the_cotangent_unless_it_overflows(run: StageRun) -> None:
    run.largest = {np.dtype(np.float16): 100.0}
    run.continue_with(8.0, 8.0)
    assert run.seed == 8.0
    run.continue_with(1024.0, 1024.0)
    assert run.seed == 1.0
    run.continue_with(0.0, 0.0)
    assert run.seed == 1.0


def test_sizes_of_gradients() -> None:
    (mean, most), zeros, (_, missing) = _sizes([jnp.asarray([3e30, -4e30]), jnp.zeros(2), jnp.asarray([jnp.nan])])
    np.testing.assert_allclose([mean, most], [np.sqrt(12.5) * 1e30, 4e30], rtol=1e-6)
    assert [float(z) for z in zeros] == [0.0, 0.0] and np.isnan(missing)


def test_a_network_in_one_process_trains_as_its_micro_batches_do() -> None:
    net = Loss()
    loss = nn.PipelineCell(net, 2)(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(float(loss), float(reference(*WEIGHTS)), rtol=1e-6)
    assert ms.get_auto_parallel_context("pipeline_stages") == 1
