"""The states that a captured graph donates and only reads, and the order of its outputs."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.transform.graph.graph_plan import GraphPlan

READ, WRITTEN, OVERWRITTEN, UNUSED = (SimpleNamespace(is_consumed=i != 0) for i in range(4))
STATES = [READ, WRITTEN, OVERWRITTEN, UNUSED]
X = np.arange(2, dtype=np.float32)


def plan(reuses: bool = True) -> GraphPlan:
    """Return the plan of a graph of four states and an argument, which writes two states."""

    def graph(read, written, overwritten, unused, x):
        return read + x, written * 2, x * 3, written + x

    closed = jax.make_jaxpr(graph)(*[X] * 5)
    return GraphPlan.of(closed, STATES, [OVERWRITTEN, WRITTEN], {id(READ), id(WRITTEN)}, reuses)


def test_states_that_are_read_and_written_are_donated() -> None:
    made = plan()
    assert made.donated == [WRITTEN] and made.retained == [READ] and made.consumed == [WRITTEN]
    assert not made.all_consumed and made.is_alone and made.holders == [3]


def test_no_buffer_is_reused_where_a_run_may_raise() -> None:
    made = plan(reuses=False)
    assert made.donated == [] and made.retained == [READ, WRITTEN]
    assert made.output_order == [0, 1, 2, 3]


def test_outputs_of_donated_states_come_first() -> None:
    made = plan()
    assert made.output_order == [3, 0, 1, 2]
    assert made.restored(["new", "first", "second", "third"]) == ("first", "second", "third", "new")


def test_operands_are_split_and_joined() -> None:
    made = plan()
    assert made.split(["donated", "retained", "x"]) == (["donated"], ["retained"], ["x"])
    values = made.values([X + 1], [X + 2])
    assert [np.asarray(v).tolist() for v in values] == [(X + 2).tolist(), (X + 1).tolist(), [0, 0], [0, 0]]


def test_a_graph_that_only_reads_is_not_alone() -> None:
    closed = jax.make_jaxpr(lambda state, x: state + x)(X, X)
    consumed = GraphPlan.of(closed, [WRITTEN], [], {id(WRITTEN)}, True)
    assert not consumed.is_alone and consumed.restored([jnp.ones(1)]) == [jnp.ones(1)]
    assert GraphPlan.of(closed, [READ], [], {id(READ)}, True).is_alone
