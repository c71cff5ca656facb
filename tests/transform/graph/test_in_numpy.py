"""The function by which NumPy computes a graph."""

import numpy as np
import pytest

import sporax as ms
from sporax._src.engine.numpy_programs import NotInNumPy
from sporax._src.transform.graph.in_numpy import InNumpy
from sporax._src.transform.jit import Jit

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_outputs_are_in_the_order_of_the_compiled_function():
    count = ms.Parameter(np.float32(1), name="count")

    def fn(x):
        ms.ops.assign_add(count, x.sum())
        return x * count

    graph = Jit(fn).graph(X)
    operands = [s.concrete() for s in graph.donated], [s.concrete() for s in graph.retained], [X._data]
    step = InNumpy(graph.jaxpr, graph.plan)
    got, want = graph.plan.restored(step(*operands)), graph.plan.restored(graph._step(*operands))
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_graph_without_variables_has_one_program():
    graph = Jit(lambda x: x + 1).graph(X)
    with pytest.raises(NotInNumPy):
        InNumpy(graph.jaxpr, graph.plan).program_for(((5, 3),))


def test_a_graph_that_numpy_cannot_compute():
    graph = Jit(lambda x: x.astype(ms.float16) + 1).graph(X)
    with pytest.raises(NotInNumPy):
        InNumpy(graph.jaxpr, graph.plan)
