"""The search for strategies: never dearer than data parallel, as cheap as all that can be enumerated, and right in numbers."""

import itertools
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec
from launching import PROGRAMS

import sporax as ms
from sporax._src.base.settings.strategy_search import reset_cost_model_context, set_cost_model_context
from sporax._src.transform.parallel import communication_costs as costs
from sporax._src.transform.parallel.auto_parallel import Reading
from sporax._src.transform.parallel.hlo import Program, moved
from sporax._src.transform.parallel.strategy_search import Problem, cost, memory, search, tables_of

MODES = ("recursive_programming", "dynamic_programming")
ALL = 1e18  # bytes: more than any of these networks takes


def aval(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def problem_of(fn, states, data, mesh) -> Problem:
    """Return the problem of a function of lists of states and arguments, whose arguments are cut along their first axis."""
    names = [f"d{i}" for i in range(len(mesh))]
    closed = jax.make_jaxpr(fn)(states, data)
    places = [SimpleNamespace(spec=PartitionSpec(tuple(names))) for _ in data]
    return Reading(closed, len(states), places, SimpleNamespace(axis_names=names)).problem(mesh)


def six_products(seed: int, mesh: tuple[int, ...]) -> Problem:
    """Return the problem of a training step of a random network of six products, some of them on branches."""
    draw = np.random.RandomState(seed)
    sizes = [int(2 ** draw.randint(3, 11)) for _ in range(7)]
    branches = [draw.rand() < 0.4 for _ in range(6)]
    for i in range(6):
        sizes[i + 1] = sizes[i] if branches[i] else sizes[i + 1]
    batch = int(2 ** draw.randint(3, 13))

    def loss(weights, x, y):
        for weight, branch in zip(weights, branches, strict=True):
            x = jnp.tanh(x @ weight) + (x if branch else 0.0)
        return jnp.mean((x - y) ** 2)

    def step(weights, data):
        return [w - 0.1 * g for w, g in zip(weights, jax.grad(loss)(weights, *data), strict=True)]

    weights = [aval(*pair) for pair in itertools.pairwise(sizes)]
    return problem_of(step, weights, [aval(batch, sizes[0]), aval(batch, sizes[-1])], mesh)


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
    least = sum(problem.held) / 4
    limit = (memory(problem, free, mesh) + least) / 2
    within = search(problem, mesh, mode, limit)
    assert memory(problem, free, mesh) > limit >= memory(problem, within, mesh)
    assert cost(problem, within, mesh) >= cost(problem, free, mesh)
    beyond = search(problem, mesh, mode, 1.0)
    assert memory(problem, beyond, mesh) == pytest.approx(least, rel=0.3)


def test_pieces_of_products_are_aligned():
    mesh = (2, 2)
    problem = six_products(0, mesh)
    product = next(o for o in problem.operations if o.shares)
    for way in costs.ways(product, mesh, align=64):
        for use in product.uses:
            cut = costs.cut_in(use, way)
            assert 1 not in cut or costs.piece(use.shape, cut, mesh)[1] % 64 == 0


def test_exchanges_have_the_costs_of_rings():
    mesh = (2, 4)
    assert costs.again((-1, -1), (0, 1), mesh) == 0  # each device keeps its piece
    assert costs.again((0, -1), (-1, -1), mesh) == pytest.approx(1 / 2)  # half comes from the other
    assert costs.again((0, 0), (-1, -1), mesh) == pytest.approx(7 / 8)
    assert costs.again((-1, 0), (-1, 1), mesh) == pytest.approx(1 / 4 * 3 / 4)  # an all-to-all of four quarters
    assert costs.joined((-1, -1), frozenset({1}), (-1, -1), mesh) == pytest.approx(2 * 3 / 4)
    assert costs.joined((-1, -1), frozenset({1}), (-1, 0), mesh) == pytest.approx(3 / 4)
    assert costs.joined((0, -1), frozenset({1}), (0, -1), mesh) == pytest.approx(2 * 3 / 4 / 2)


# --- in programs ------------------------------------------------------------------------------------------------------------


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


# --- settings ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def restored():
    yield
    ms.reset_auto_parallel_context(), ms.reset_algo_parameters(), reset_cost_model_context()


def test_the_mode_of_the_search_has_two_names(restored):
    ms.set_auto_parallel_context(auto_parallel_search_mode="dynamic_programming")
    assert ms.get_auto_parallel_context("search_mode") == "dynamic_programming"
    ms.set_auto_parallel_context(search_mode="sharding_propagation")
    assert ms.get_auto_parallel_context("auto_parallel_search_mode") == "sharding_propagation"
    with pytest.raises(ValueError, match=r"search_mode must be one of \['recursive_programming', .*, got 'x'"):
        ms.set_auto_parallel_context(search_mode="x")


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"fully_use_devices": 1}, TypeError, "set_algo_parameters: fully_use_devices must be a bool, got 1."),
        ({"x": 1}, ValueError, "set_algo_parameters: unknown option 'x'; known are algo_approxi_epsilon, elementwise"),
        ({"tensor_slice_align_size": 0}, ValueError, r"tensor_slice_align_size must be in \[1, 1024\], got 0"),
        ({"algo_approxi_epsilon": 2.0}, RuntimeError, r"algo_approxi_epsilon must be in \(0, 1\], got 2.0"),
    ],
)
def test_options_of_the_search_are_checked(restored, options, error, told):
    with pytest.raises(error, match=told):
        ms.set_algo_parameters(**options)


def test_options_of_costs_are_checked(restored):
    with pytest.raises(TypeError, match="set_cost_model_context: device_memory_capacity must be float, got 5"):
        set_cost_model_context(device_memory_capacity=5)
    with pytest.raises(ValueError, match="device_memory_capacity must be > 0"):
        set_cost_model_context(device_memory_capacity=-1.0)
    with pytest.raises(ValueError, match="get_algo_parameters: unknown option 'nope'"):
        ms.get_algo_parameters("nope")
