"""The new values of states that are elementwise functions of a graph's inputs are computed by one operation."""

import re

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.lowering.cpu import kernels
from sporax._src.transform.capture import GRAPHS
from sporax._src.transform.graph import updates

pytestmark = [
    pytest.mark.of_cpus("the kernel is for CPUs"),
    pytest.mark.skipif(not kernels.ARE_BUILT, reason="the wheel was built without a compiler"),
]
SHAPES = [(3,), (1,), (), (4, 5), (1000,), (2, 1, 3, 3), (700, 100)]
OPTIMIZERS = {
    "SGD": lambda p: nn.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.1, loss_scale=8.0),
    "Adam": lambda p: nn.Adam(p, 0.01, weight_decay=0.1),
    "Adam with AMSGrad": lambda p: nn.Adam(p, 0.01, use_amsgrad=True),
    "Adam of a schedule": lambda p: nn.Adam(p, [0.1, 0.01, 0.001], use_nesterov=True),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.1),
    "groups": lambda p: nn.Adam([{"params": p[:3], "lr": 0.1, "weight_decay": 0.1}, {"params": p[3:]}], 0.01),
    "RMSProp": lambda p: nn.RMSProp(p, 0.1, centered=True),
    "Adagrad": lambda p: nn.Adagrad(p, learning_rate=0.1),
    "AdaMax": lambda p: nn.AdaMax(p, 0.1),
    "FTRL": lambda p: nn.FTRL(p, learning_rate=0.1),
    "Rprop": lambda p: nn.Rprop(p),
    "Lamb": lambda p: nn.Lamb(p, 0.1),
    "mint.optim.AdamW": lambda p: ms.mint.optim.AdamW(p, lr=0.1),
}


def trained(make, steps=3):
    """Return the Parameters and states after some steps."""
    draw = np.random.default_rng(0).standard_normal
    parameters = [Parameter(Tensor(draw(s).astype(np.float32)), name=f"p{i}") for i, s in enumerate(SHAPES)]
    optimizer = make(parameters)
    for _ in range(steps):
        optimizer(tuple(Tensor(draw(s).astype(np.float32)) for s in SHAPES))
    return {p.name: p.asnumpy() for p in [*parameters, *optimizer.get_parameters()]}


def graph_of(make, *arguments) -> str:
    GRAPHS.clear()
    make(*arguments)
    return "\n".join(str(graph.optimized) for graph in list(GRAPHS))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_computes_what_xla_computes(name, monkeypatch):
    got = trained(OPTIMIZERS[name])
    monkeypatch.setattr(kernels, "ARE_BUILT", False)
    expected = trained(OPTIMIZERS[name])
    assert got.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(got[key], value, rtol=2e-6, atol=2e-6 * np.abs(value).max(), err_msg=key)


def test_all_parameters_of_any_shape_are_one_operation():
    text = graph_of(trained, OPTIMIZERS["Adam"], 1)
    assert len(re.findall(r"= elementwise", text)) == 1
    assert not re.findall(r"f32\[\d+,\d+\] = (?!elementwise)", text)  # nothing is left to XLA


def test_calls_have_few_groups(monkeypatch):
    monkeypatch.setattr(updates, "_MOST", 2)
    text = graph_of(trained, OPTIMIZERS["Adam"], 1)
    assert len(re.findall(r"= elementwise", text)) == 3  # of six arrays


def test_a_network_is_left_to_xla():
    """What follows from a gradient that the graph computes is fused with it."""
    net = nn.Dense(3, 2)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)

    def step(x):
        grads = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(x)
        optimizer(grads)
        return ops.norm(net.weight)

    text = graph_of(ms.jit(step), Tensor(np.ones((4, 3), np.float32)))
    assert "dot_general" in text and "elementwise" not in text


def test_a_value_that_the_graph_reads_is_left_to_xla():
    p = Parameter(Tensor(np.linspace(-1, 1, 50, dtype=np.float32)), name="p")

    @ms.jit
    def step(g):
        moved = p * 0.9 + g * 0.1
        ops.assign(p, moved)
        return moved, moved.sum()

    g = np.linspace(2, 3, 50, dtype=np.float32)
    before = p.asnumpy()
    GRAPHS.clear()
    moved, total = step(Tensor(g))
    assert not any("elementwise" in str(graph.optimized) for graph in list(GRAPHS))
    np.testing.assert_allclose(p.asnumpy(), before * 0.9 + g * 0.1, rtol=1e-6)
    np.testing.assert_allclose(moved.asnumpy(), p.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(float(total), p.asnumpy().sum(), rtol=1e-6)


def test_one_array_in_two_states():
    """Each state has its own new value, whatever memory it takes."""
    a, b = (Parameter(Tensor(np.full(5, n, np.float32)), name=f"p{n}") for n in (1.0, 2.0))

    @ms.jit
    def step():
        x, y = a * 2 + b, b * 2 + a
        ops.assign(a, x)
        ops.assign(b, y)
        return a

    step()
    np.testing.assert_array_equal(a.asnumpy(), np.full(5, 4.0))
    np.testing.assert_array_equal(b.asnumpy(), np.full(5, 5.0))


def test_large_arrays_are_left_to_xla(monkeypatch):
    monkeypatch.setattr(updates, "_MOST_ELEMENTS", 1000)
    text = graph_of(trained, OPTIMIZERS["Adam"], 1)
    assert len(re.findall(r"= elementwise", text)) == 1
    assert re.search(r"f32\[700,100\] = mul", text) and not re.search(r"f32\[1000\] = mul", text)


def test_half_precision_and_integers_are_left_to_xla():
    half = Parameter(Tensor(np.ones(4, np.float16)), name="half")
    text = graph_of(nn.SGD([half], 0.5), (Tensor(np.ones(4, np.float16)),))
    assert "elementwise" not in text
    np.testing.assert_array_equal(half.asnumpy(), np.full(4, 0.5, np.float16))
