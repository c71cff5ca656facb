"""Operators that say what their results are, and not how to compute them."""

import pytest

import sporax as ms
from sporax import Tensor, ops


class Total(ops.PrimitiveWithInfer):
    """A sum without a kernel."""

    def infer_shape(self, shape):
        return []

    def infer_dtype(self, dtype):
        return dtype

    def get_bprop(self):
        return lambda x, out, dout: (ops.ones_like(x) * dout,)


X = Tensor([1.0, 2.0])


def test_a_graph_with_one_is_built_and_not_run() -> None:
    graph = ms.jit(lambda x: Total("MyTotal")(x) + 1, fullgraph=True)
    (out,) = graph.graph(X).jaxpr.out_avals
    assert out.shape == () and out.dtype == "float32"
    with pytest.raises(Exception, match="Primitive 'MyTotal' has no kernel here"):
        graph(X).asnumpy()


def test_outside_of_a_graph_there_is_nothing_to_run() -> None:
    with pytest.raises(RuntimeError):
        Total("MyTotal")(X)
