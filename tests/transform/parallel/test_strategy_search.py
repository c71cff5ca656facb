"""The search for strategies: never dearer than data parallel, as cheap as all that can be enumerated, and right in numbers."""

import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from launching import PROGRAMS
from strategy_problems import aval, problem_of, six_products

from sporax._src.transform.parallel import communication_costs as costs
from sporax._src.transform.parallel.hlo import Program, moved
from sporax._src.transform.parallel.strategy_search import Problem, cost, memory, search, tables_of

MODES = ("recursive_programming", "dynamic_programming")


ALL = 1e18  # bytes: more than any of these networks takes


def cheapest(problem: Problem, mesh: tuple[int, ...]) -> float:
    """Return the least cost of all ways to cut the values, enumerated: of activations all together, of each weight beside those."""
    cuts = [costs.cuts_of(shape, mesh) for shape in problem.shapes]
    tables = tables_of(problem, mesh, (1,) * len(mesh), cuts, 1)
    beside = [{v for t in tables if i in t.values for v in t.values} - {i} for i in range(len(cuts))]
    alone = [i for i, near in enumerate(beside) if 0 < len(near) <= 2]
    weights = [i for i in alone if not any(j in beside[i] for j in alone if j < i)]
    others = [i for i in range(len(cuts)) if beside[i] and i not in weights]

    def summed(parts, axes):
        total = np.zeros([len(cuts[i]) for i in axes])
        for values, array in parts:
            order = sorted(range(len(values)), key=lambda n: axes.index(values[n]))
            total = total + array.transpose(order).reshape([len(cuts[i]) if i in values else 1 for i in axes])
        return total

    parts = [(t.values, t.costs) for t in tables if not set(t.values) & set(weights) and set(t.values) <= set(others)]
    for weight in weights:
        near = sorted(beside[weight])
        parts.append(
            (near, summed([(t.values, t.costs) for t in tables if weight in t.values], [*near, weight]).min(-1))
        )
    assert np.prod([len(cuts[i]) for i in others]) < 1e7
    return float(summed(parts, others).min())


@pytest.mark.parametrize("mode", MODES)
def test_six_products_cost_what_the_best_of_all_ways_costs(mode):
    """12 random networks on 4 devices, every way to cut them enumerated."""
    ratios = []
    for seed in range(12):
        problem = six_products(seed, (2, 2))
        found = cost(problem, search(problem, (2, 2), mode, ALL), (2, 2))
        ratios.append(found / cheapest(problem, (2, 2)))
    assert min(ratios) > 1 - 1e-9 and max(ratios) <= 1.1, max(ratios)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("mesh", [(2,), (2, 2, 2), (2, 3), (2,) * 5])
def test_never_dearer_than_data_parallel(mode, mesh):
    for seed in range(40, 42):
        problem = six_products(seed, mesh)
        found = search(problem, mesh, mode, ALL)
        assert cost(problem, found, mesh) <= cost(problem, problem.together, mesh) * (1 + 1e-9)


def test_the_cost_of_data_parallel_is_that_of_its_gradients():
    """Large batches along all devices, weights whole: what is exchanged is the sum of the gradients."""
    draw = np.random.RandomState(3)
    for _ in range(5):
        sizes = [int(8 * draw.randint(1, 9)) for _ in range(3)]

        def step(weights, data):
            grads = jax.grad(lambda w: jnp.mean((data[0] @ w[0] @ w[1]) ** 2))(weights)
            return [w - g for w, g in zip(weights, grads, strict=True)]

        states = [aval(*sizes[:2]), aval(*sizes[1:])]
        problem = problem_of(step, states, [aval(4096, sizes[0])], (2, 2, 2))
        gradients = 4 * (sizes[0] * sizes[1] + sizes[1] * sizes[2])
        assert cost(problem, problem.together, (2, 2, 2)) == pytest.approx(moved("all-reduce", gradients, 8))


@pytest.mark.parametrize("mode", MODES)
def test_a_limit_of_memory_is_kept(mode):
    mesh = (2, 2)
    problem = six_products(7, mesh)
    free = search(problem, mesh, mode, ALL)
    least = sum(problem.sizes) / 4
    limit = (memory(problem, free, mesh) + least) / 2
    within = search(problem, mesh, mode, limit)
    assert memory(problem, free, mesh) > limit >= memory(problem, within, mesh)
    assert cost(problem, within, mesh) >= cost(problem, free, mesh)
    beyond = search(problem, mesh, mode, 1.0)
    assert memory(problem, beyond, mesh) == pytest.approx(least, rel=0.3)


def program(folder, mode: str, devices: int) -> dict:
    file = folder / "found.json"
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    command = [sys.executable, "-m", "sporax", "run", PROGRAMS / "searched.py", file, mode, devices]
    done = subprocess.run(list(map(str, command)), env=os.environ | flags, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict:
    return program(tmp_path_factory.mktemp("alone"), "none", 1)


@pytest.mark.parametrize("mode", MODES)
def test_numbers_are_those_of_one_device(tmp_path, alone, mode):
    found = program(tmp_path, mode, 8)
    for network in ("residual", "images", "words"):
        np.testing.assert_allclose(found[network]["losses"], alone[network]["losses"], rtol=1e-5, err_msg=network)
    np.testing.assert_allclose(*found["output"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found["output"][0], alone["output"][0], rtol=1e-4, atol=1e-5)
    assert max(found["residual"]["pieces"].values()) == 8
    sent = sum(
        n * moved(e.kind, e.payload, len(e.devices))
        for e, n in Program(found["residual"]["hlo"], 8).exchanges().items()
    )
    weights = 4 * (64 * 128 + 2 * 128 * 512 + 128 * 64 + 64 * 64 + 64 * 32)
    assert 0 < sent < moved("all-reduce", weights, 8)  # what data parallel sends for its gradients
