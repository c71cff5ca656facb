"""Graphs whose shapes keep changing are compiled with few optimizations at first."""

import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops
from sporax._src.base import config
from sporax._src.transform import capture, jit

pytestmark = [pytest.mark.of_cpus("other devices have no such options"), pytest.mark.usefixtures("graphs_of_xla")]


@pytest.fixture
def usual(monkeypatch):
    """Let so many signatures be compiled fully."""
    monkeypatch.setattr(jit, "_USUAL", 2)
    return 2


def ones(n):
    return ms.Tensor(np.ones((n, 3), np.float32))


@pytest.fixture
def compiled(monkeypatch):
    """Return the list of the options of all compiled graphs."""
    seen = []
    compiled_on = capture.Graph._compiled_on

    def noted(graph, options):
        seen.append(options or {})
        return compiled_on(graph, options)

    monkeypatch.setattr(capture.Graph, "_compiled_on", noted)
    return seen


def is_quick(options):
    return options.get("xla_backend_optimization_level") == 0


def test_new_shapes_are_compiled_quickly_after_the_usual_ones(usual, compiled):
    function = ms.jit(lambda x: ops.softmax(x, 0).sum(1))
    for n in range(4, 9):
        np.testing.assert_allclose(function(ones(n)).asnumpy(), np.full(n, 3 / n), rtol=1e-6)
    assert list(map(is_quick, compiled)) == [False, False, False, True, False, True, False, True]


def test_a_graph_that_runs_often_is_compiled_with_all_optimizations(usual, compiled, monkeypatch):
    monkeypatch.setattr(capture, "OFTEN", 3)
    net = nn.Dense(3, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    gradients = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)

    @ms.jit
    def step(x):
        loss, grads = gradients(x)
        optimizer(grads)
        return loss

    for n in range(4, 7):
        step(ones(n))
    del compiled[:]
    losses = [float(step(ones(6)).asnumpy()) for _ in range(4)]
    assert list(map(is_quick, compiled)) == [False]
    np.testing.assert_allclose(np.diff(losses), losses[1] - losses[0], rtol=1e-4)


def test_results_that_must_repeat_are_compiled_fully(usual, compiled):
    function = ms.jit(ops.exp)
    ms.set_deterministic(True)
    try:
        for n in range(4, 9):
            function(ones(n))
    finally:
        ms.set_deterministic(False)
    assert not any(map(is_quick, compiled))


def test_functions_of_other_structures_are_compiled_fully(usual, compiled):
    function = ms.jit(lambda x, k: x * k)
    for k in range(3, 8):
        function(ones(3), str(k) and float(k))
    assert not any(map(is_quick, compiled))


def test_an_option_that_is_not_known_is_left_out(monkeypatch):
    assert config._if_known("xla_cpu_no_such_option", 1) == {}
    monkeypatch.setenv("XLA_FLAGS", "--xla_backend_optimization_level=2")
    config._if_known.cache_clear()
    try:
        assert not is_quick(config.quick_options())
    finally:
        config._if_known.cache_clear()
