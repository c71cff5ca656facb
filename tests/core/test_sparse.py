"""Sparse Tensors against recorded goldens, SciPy and dense Tensors: values, text, errors, both modes, gradients."""

import copy
from typing import Any

import numpy as np
import pytest
from devices import of_cpus
from sparse_tensors import GOLDENS, RNG, close, csr, drawn, evaluate, function_of_values

import sporax as ms
from sporax import COOTensor, CSRTensor, Parameter, Tensor, nn, ops
from sporax._src.core.sparse import SparseBase
from sporax._src.transform import capture


def check(got: Any, want: Any) -> None:
    kind, *rest = want
    if kind in ("CSRTensor", "COOTensor"):
        assert type(got).__name__ == kind
        *parts, shape = got.to_tuple()
        assert list(shape) == rest[1]
        for part, expected in zip(parts, rest[0], strict=True):
            check(part, expected)
    elif kind == "Tensor":
        assert got.dtype == getattr(ms, rest[0] if rest[0] != "bool" else "bool_")
        assert got.asnumpy().shape == np.shape(rest[1]) or not got.size
        np.testing.assert_allclose(got.asnumpy(), np.reshape(rest[1], got.shape), rtol=2e-6, atol=1e-7)
    elif kind == "tuple":
        for item, expected in zip(got, rest[0], strict=True):
            check(item, expected)
    else:
        assert got == rest[0]


TWICE = "ops.SparseToDense()(Tensor([[0, 1], [0, 1]]), Tensor([1.0, 2.0]), (2, 2))"


@pytest.mark.parametrize(
    "text", of_cpus(GOLDENS["values"], {TWICE: "other devices do not write to one place in order"})
)
def test_values(text: str) -> None:
    check(evaluate(text), GOLDENS["values"][text])


@pytest.mark.parametrize("text", GOLDENS["texts"])
def test_texts(text: str) -> None:
    assert repr(evaluate(text)) == GOLDENS["texts"][text]


@pytest.mark.parametrize("text", GOLDENS["errors"])
def test_kinds_of_errors(text: str) -> None:
    with pytest.raises(Exception) as caught:
        evaluate(text)
    assert type(caught.value).__name__ == GOLDENS["errors"][text]


@pytest.mark.parametrize("text", GOLDENS["gradients"])
def test_gradients(text: str) -> None:
    """By the values, in PyNative mode and in a graph."""
    gradient, v = ms.grad(function_of_values(text)), evaluate("v")
    check(gradient(v), GOLDENS["gradients"][text])
    if "SparseSlice" not in text:  # how many values a slice holds depends on the values: it runs in PyNative mode
        check(ms.jit(gradient, fullgraph=True)(v), GOLDENS["gradients"][text])


class Net(nn.Cell):
    """A layer over a graph of neighbours, which is an attribute or an argument."""

    def __init__(self, neighbours: CSRTensor) -> None:
        super().__init__()
        self.neighbours = neighbours
        self.weight = Parameter(Tensor(np.ones((4, 2), np.float32)), name="weight")

    def construct(self, x: Tensor, other: SparseBase) -> tuple[Tensor, SparseBase]:
        return self.neighbours.mm(x @ self.weight), ops.csr_square(other) if other.size > 2 else other


def test_graph_arguments_and_results() -> None:
    a, x = drawn(3, 3), RNG.random((3, 4), np.float32)
    net, other = Net(csr(a)), evaluate("c")
    want = net(Tensor(x), other)
    compiled = ms.jit(net, fullgraph=True)
    for _ in range(2):
        got = compiled(Tensor(x), other)
        close(got[0], want[0].asnumpy())
        assert isinstance(got[1], CSRTensor) and got[1].shape == (2, 4)
        close(got[1].values, other.values.asnumpy() ** 2)
    before = capture.compilations
    compiled(Tensor(x), evaluate("-c"))
    assert capture.compilations == before, "other values at other places are operands, not another program"


def test_control_flow_on_sparse_tensors() -> None:
    @ms.jit(fullgraph=True)
    def fn(x: COOTensor) -> COOTensor:
        if x.values.sum() > 0:
            x = ops.coo_neg(x)
        else:
            x = ops.coo_square(x)
        for _ in range(2):
            x = x.abs()
        return x

    close(fn(evaluate("o")).values, np.array([1.0, 2.0, 3.0]))
    close(fn(evaluate("-o")).values, np.array([1.0, 4.0, 9.0]))


def test_copies_and_identity() -> None:
    c = evaluate("c")
    assert repr(copy.deepcopy(c)) == repr(c)
    assert c == c and c != evaluate("c")


def test_repr_in_a_graph() -> None:
    @ms.jit(fullgraph=True)
    def fn(x: COOTensor) -> COOTensor:
        head = "COOTensor(shape=[2, 4], dtype=Float32, indices=Tensor(shape=[3, 2], dtype=Int64, traced), "
        assert repr(x) == f"{head}values=Tensor(shape=[3], dtype=Float32, traced))"
        return x

    fn(evaluate("o"))


def test_former_names_say_so(caplog: pytest.LogCaptureFixture) -> None:
    evaluate("SparseTensor(ij, v, (2, 4))")
    evaluate("RowTensor(Tensor([0]), Tensor([[1.0]]), (3, 1))")
    assert [record.getMessage() for record in caplog.records] == [
        "SparseTensor is deprecated: use COOTensor instead.",
        "RowTensor is deprecated.",
    ]


def test_enable_sparse_is_accepted() -> None:
    ms.set_context(enable_sparse=True)
    assert ms.get_context("enable_sparse") is True
    ms.set_context(enable_sparse=False)
