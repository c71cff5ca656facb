"""Long chains of elementwise operations in a graph are cut, so that XLA computes what several kernels need once."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.base import config
from sporax._src.base.jax_compat import jaxpr_as_fun
from sporax._src.transform.graph.chains import cut_chains

ROWS = np.random.default_rng(0).standard_normal((60, 8)).astype(np.float32)


def _recurrence(rows, steps):
    state = jnp.zeros(8, jnp.float32)
    for t in range(steps):
        state = jnp.tanh(state * rows[t, 0] + rows[t])
    return state


def _barriers(closed) -> int:
    return str(closed).count("optimization_barrier")


@pytest.mark.of_cpus("chains are cut for CPUs")
def test_a_long_chain_is_cut_and_computes_the_same():
    rows = [jnp.asarray(row) for row in ROWS]
    closed = jax.make_jaxpr(lambda *rows: sum(rows[1:], rows[0]))(*rows)
    cut = cut_chains(closed)
    assert _barriers(closed) == 0 and _barriers(cut) == 1  # of 60 values, behind the 32nd
    np.testing.assert_array_equal(jaxpr_as_fun(cut)(*rows)[0], sum(rows[1:], rows[0]))


@pytest.mark.parametrize(
    "function",
    [
        lambda rows: _recurrence(rows, 60),  # of one operand
        lambda rows: rows @ rows.T + 1,
        lambda rows: jax.nn.relu(rows).sum() + rows.mean(),
    ],
)
def test_a_graph_without_them_stays_as_it_is(function):
    closed = jax.make_jaxpr(function)(jnp.asarray(ROWS))
    assert cut_chains(closed) is closed


class Steps(nn.Cell):
    """A cell called step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(8, 8)

    def construct(self, x):
        h = c = ops.zeros((2, 8))
        for t in range(x.shape[0]):
            h, c = self.cell(x[t], (h, c))
        return (h * c).sum()


def test_kernels_of_a_cell_called_step_by_step_read_little():
    net, x = Steps(), Tensor(np.random.default_rng(1).standard_normal((24, 2, 8)).astype(np.float32))
    step = ms.grad(net, None, net.trainable_params())
    expected = step(x)
    compiled = ms.jit(step)
    for got, want in zip(compiled(x), expected, strict=True):
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-4, atol=1e-6)
    text = compiled.graph(x).lower().compile().as_text()
    fusions = re.findall(r"fusion\(([^)]*)\)", text)
    assert fusions and max(names.count("%") for names in fusions) < 60  # 100 where nothing is cut


def test_what_xla_is_told():
    assert config.with_barriers({"a": 1}) == {"a": 1, "xla_disable_hlo_passes": "cse_barrier_expander"}
    assert config.with_barriers(None) == {"xla_disable_hlo_passes": "cse_barrier_expander"}
