"""Errors of a graph that runs are those that Python raises."""

import pytest
from graph_outcomes import outcome
from python_errors import PROGRAMS, message_of_tensors, raise_in_branch

import sporax as ms
from sporax import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.usefixtures("no_fallback")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_the_graph_raises_what_python_raises(program) -> None:
    """The same class, text and attributes for the same values, from one graph; other values return."""
    graph = ms.jit(program, fullgraph=True)
    outcomes = [outcome(program, v) for v in (1.0, -1.0, 6.0, -9.0)]
    assert [outcome(graph, v) for v in (1.0, -1.0, 6.0, -9.0)] == outcomes
    assert any(isinstance(o, tuple) for o in outcomes)


def test_a_step_that_raises_changes_nothing() -> None:
    """Parameters keep their values, and the graph is used again."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = Parameter(Tensor(0.0), name="count")

        def construct(self, x):
            ops.assign_add(self.count, Tensor(1.0))
            assert x > 0, f"after {self.count.value()}"
            return x

    net = Net()
    net(Tensor(1.0))
    line = Net.construct.__code__.co_firstlineno
    with pytest.raises(AssertionError, match=rf"^after 2\.0\nThe program was at .*test_failures\.py:{line}\.$"):
        net(Tensor(-1.0))
    net(Tensor(1.0))
    assert float(net.count) == 2.0


def test_errors_within_transforms() -> None:
    """A gradient raises what its function raises; of a batch the first sample that raises counts."""
    of_grad = ms.jit(ms.grad(message_of_tensors), fullgraph=True)
    assert float(of_grad(Tensor(-2.0))) == 1.0
    with pytest.raises(ValueError, match=r"^The input is 2\.0, 2\.00"):
        of_grad(Tensor(2.0))
    with pytest.raises(ValueError, match=r"^The input is 3\.0"):
        ms.vmap(message_of_tensors)(Tensor([-1.0, 3.0, 4.0]))
    compiled = ms.jit(raise_in_branch, fullgraph=True)
    with pytest.raises(ValueError, match="positive"):
        ms.grad(lambda x: compiled(x) * 2)(Tensor(1.0))
