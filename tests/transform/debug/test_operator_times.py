"""Times of the operations of PyNative mode by operator and line of the program."""

import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.engine.dispatch import debugging
from sporax._src.transform.debug.operator_times import OperatorTimes
from sporax._src.transform.graph.provenance import Source

X = Tensor([1.0, 2.0])


@pytest.fixture
def times():
    measured = OperatorTimes()
    measured.start()
    yield measured
    measured.stop()


def test_calls_are_counted_by_operator_and_line(times: OperatorTimes) -> None:
    for _ in range(3):
        ops.exp(X)
    ops.exp(X)
    assert {source.op for source in times.totals} == {"ops.exp"}
    calls = sorted((source.line.rpartition(":")[2], count) for source, (_, count) in times.totals.items())
    assert [count for _, count in calls] == [3, 1] and int(calls[1][0]) == int(calls[0][0]) + 1
    assert all(seconds > 0 for seconds, _ in times.totals.values())


def test_gradients_have_the_line_of_their_operation(times: OperatorTimes) -> None:
    assert ms.grad(lambda x: ops.exp(x).sum())(Tensor([0.0])).asnumpy().tolist() == [1.0]
    found = {source.is_gradient: source.line for source in times.totals if source.op == "ops.exp"}
    assert found[True] == found[False] != ""


def test_a_graph_is_not_measured(times: OperatorTimes) -> None:
    ms.jit(lambda x: ops.exp(x) + 1, fullgraph=True)(X)
    assert times.totals == {}


def test_what_is_measured_adds_up() -> None:
    times = OperatorTimes()
    source = Source("Net.fc", "", "train.py:3")
    assert [times.measure("ops._helper", source, lambda a: a + 1, n) for n in (1, 2)] == [2, 3]
    ((key, (seconds, calls)),) = times.totals.items()
    assert key == Source("", "ops.helper", "train.py:3") and calls == 2 and seconds >= 0


def test_only_one_watches() -> None:
    first, second = OperatorTimes(), OperatorTimes()
    first.start()
    second.start()
    second.stop()
    assert debugging.check == first._timed
    first.stop()
    assert debugging.check is None
