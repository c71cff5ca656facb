"""A captured graph as a search problem."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec
from strategy_problems import aval

from sporax._src.base.jax_compat import evaluate, is_literal
from sporax._src.processes.parallel_context import Cutting
from sporax._src.processes.prime_mesh import paper_mesh
from sporax._src.transform.parallel.auto_parallel import Reading, walk, with_strategies

WEIGHT, BATCH = aval(4, 6), aval(8, 4)


def forward(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.tanh(jax.jit(jnp.matmul)(x, w)).sum()


def reading(names: tuple[str, ...] = ("d0", "d1")) -> Reading:
    """Return the graph of a layer, whose batch is sharded over all devices."""
    place = SimpleNamespace(spec=PartitionSpec(names))
    return Reading(jax.make_jaxpr(forward)(WEIGHT, BATCH), 1, [place], SimpleNamespace(axis_names=names))


def test_a_walk_visits_operations_of_inner_graphs() -> None:
    closed, seen = jax.make_jaxpr(forward)(WEIGHT, BATCH), []

    def visit(eqn, operands):
        seen.append(eqn.primitive.name)
        return evaluate(eqn, [a.val if is_literal(a) else a for a in operands])

    w, x = np.ones((4, 6), np.float32), np.ones((8, 4), np.float32)
    (total,) = walk(closed.jaxpr, closed.consts, [w, x], visit)
    assert seen == ["dot_general", "tanh", "reduce_sum"]
    np.testing.assert_allclose(total, forward(w, x), rtol=1e-6)


def test_values_that_are_sharded_equally_are_one() -> None:
    """The weight, the batch, and the product with what is computed of it element by element."""
    problem = reading().problem((2, 2))
    assert problem.shapes == [(4, 6), (8, 4), (8, 6), ()]
    assert problem.sizes == [4 * 24, 4 * 32, 4 * 48, 4]
    product, total = problem.operations
    assert [use.value for use in product.operands] == [1, 0] and [use.value for use in product.results] == [2]
    assert [use.value for use in total.operands] == [2] and total.results == ()


def test_the_batch_is_pinned_and_followed() -> None:
    problem = reading().problem((2, 2))
    assert [(value, cut) for value, cut, _ in problem.pinned] == [(1, (0, 0))]
    assert problem.together == [(-1, -1), (0, 0), (0, 0), (-1, -1)]


def test_a_sharding_of_a_value_is_by_its_own_axes() -> None:
    found = reading()
    found.problem((2, 2))
    cuts = [(1, -1), (0, 0), (0, 1), (-1, -1)]
    assert [found.cut_of(value, cuts) for value in found.inputs] == [(1, -1), (0, 0)]


def test_a_graph_gets_the_strategies_that_the_search_returns() -> None:
    """The batch stays where it is, and so does what is computed of it; every device has the weight."""
    how = Cutting(8, "data_parallel", None, "recursive_programming")
    closed = with_strategies(jax.make_jaxpr(forward)(WEIGHT, BATCH), 1, paper_mesh(8), how)
    assert [eqn.primitive.name for eqn in closed.jaxpr.eqns if eqn.primitive.name != "sharding_constraint"] == [
        "dot_general", "tanh", "reduce_sum"
    ]  # fmt: skip
    specs = {
        eqn.invars[0].aval.shape: eqn.params["sharding"].spec
        for eqn in closed.jaxpr.eqns
        if eqn.primitive.name == "sharding_constraint"
    }
    devices = ("d0", "d1", "d2")
    rows = PartitionSpec(devices, None)
    assert specs == {(4, 6): PartitionSpec(None, None), (8, 4): rows, (8, 6): rows}
