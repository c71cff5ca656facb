"""Sparse Tensors against recorded goldens, SciPy and dense Tensors: values, text, errors, both modes, gradients."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from devices import of_cpus
from house import ROOT
from scipy import sparse

import sporax as ms
from sporax import COOTensor, CSRTensor, Parameter, RowTensor, SparseTensor, Tensor, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.core.sparse import SparseBase
from sporax._src.transform import capture

GOLDENS = json.loads((ROOT / "tests" / "goldens" / "sparse.json").read_text(encoding="utf-8"))
NAMES = {
    "ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor, "CSRTensor": CSRTensor, "COOTensor": COOTensor,
    "RowTensor": RowTensor, "SparseTensor": SparseTensor,
}  # fmt: skip


def evaluate(text: str) -> Any:
    """Return the value of an expression of the goldens."""
    return function_of_values(text)(Tensor([1.0, -2.0, 3.0]))


def function_of_values(text: str) -> Callable[[Tensor], Any]:
    """Return an expression of the goldens as a function of the values v that its sparse Tensors c and o have."""
    names = dict(NAMES)
    for name, made in GOLDENS["make"]:
        names[name] = eval(made, names)
    p, i, ij = names["p"], names["i"], names["ij"]
    return lambda v: eval(text, names | {"v": v, "c": CSRTensor(p, i, v, (2, 4)), "o": COOTensor(ij, v, (2, 4))})


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


# --- goldens --------------------------------------------------------------------------------------------------------


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


# --- messages -------------------------------------------------------------------------------------------------------

MESSAGES = [
    ("CSRTensor(1, i, v, (2, 4))", "CSRTensor: indptr must be a Tensor, got int: 1."),
    ("CSRTensor(p, 1, v, (2, 4))", "CSRTensor: indices must be a Tensor, got int: 1."),
    ("CSRTensor(p, i, None, (2, 4))", "CSRTensor: values must be a Tensor, got NoneType: None."),
    ("CSRTensor(p, i, v, [2, 4])", "CSRTensor: shape must be a tuple, got list: [2, 4]."),
    ("CSRTensor(p, v, v, (2, 4))", "CSRTensor: indices must have dtype int16, int32 or int64, got Float32."),
    ("CSRTensor(p, i, v, (2, 4.0))", "CSRTensor: shape must hold integers, got (2, 4.0)."),
    ("CSRTensor(p, i, v, (2, 0))", "CSRTensor: shape must hold positive sizes, got (2, 0)."),
    ("CSRTensor(p, i, v, (2, 1))", "CSRTensor: shape (2, 1) is too small to hold 3 values."),
    ("CSRTensor(Tensor([[0]]), i, v, (2, 4))", "CSRTensor: indptr must have 1 axis, got shape [1, 1]."),
    ("CSRTensor(p, i, v, (3, 4))", "CSRTensor: indptr must have length 1 + shape[0] = 4, got 3."),
    (
        "CSRTensor(p, i, v, (2, 4, 2))",
        "CSRTensor: values must have shape [3, 2], as indices and shape (2, 4, 2) do, got [3].",
    ),
    ("CSRTensor(csr_tensor=3)", "CSRTensor: csr_tensor must be a CSRTensor, got int: 3."),
    ("CSRTensor(p, csr_tensor=c)", "CSRTensor: give either csr_tensor or indptr, indices, values and shape, not both."),
    ("COOTensor(ij, v, (2, 4, 1))", "COOTensor: shape must have 2 sizes, got (2, 4, 1)."),
    ("COOTensor(ij, d, (20, 40))", "COOTensor: values must have 1 axis, got shape [4, 2]."),
    ("COOTensor(ij, Tensor([1.0]), (2, 4))", "COOTensor: indices must have shape [1, 2], as values do, got [3, 2]."),
    ("RowTensor(1, v, (2, 4))", "RowTensor: indices must be a Tensor, got int: 1."),
    ("RowTensor(row_tensor=1)", "RowTensor: row_tensor must be a RowTensor, got int: 1."),
    ("SparseTensor(1, v, (2, 4))", "SparseTensor: indices must be a Tensor, got int: 1."),
    ("c + 1", "CSRTensor + other: other must be a CSRTensor, got int: 1."),
    ("c - 1", "CSRTensor + other: other must be a CSRTensor, got int: 1."),
    ("o + 1", "COOTensor + other: other must be a COOTensor or a Tensor, got int: 1."),
    ("o + d", "COOTensor + Tensor: both sides must have the same shape, got [2, 4] and [4, 2]."),
    ("o * 2", "COOTensor * other: other must be a Tensor, got int: 2."),
    ("o / d", "COOTensor / Tensor: both sides must have the same shape, got [2, 4] and [4, 2]."),
    ("c.mv(d)", "CSRTensor.mv: the right side must have shape (4, 1), got [4, 2]."),
    ("c.mm(1)", "CSRTensor.mm: the right side must be a Tensor, got int: 1."),
    ("c.mm(e)", "CSRTensor.mm: the right side must have shape (4, any), got [2, 4]."),
    ("ops.csr_to_dense(CSRTensor(p, i, d[:3], (2, 4, 2)))", "csr_tensor must have 2 axes, got shape [2, 4, 2]."),
    ("nn.SparseToDense()(c)", "nn.SparseToDense: sparse_tensor must be a COOTensor, got CSRTensor"),
    ("nn.SparseTensorDenseMatmul(1)", "nn.SparseTensorDenseMatmul: adjoint_st must be a bool, got 1."),
]


@pytest.mark.parametrize(("text", "message"), MESSAGES)
def test_messages(text: str, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        evaluate(text)
    assert message in str(caught.value)


# --- against SciPy --------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)


def drawn(rows: int, columns: int, dtype: Any = np.float32) -> Any:
    return sparse.random_array((rows, columns), density=0.3, rng=RNG, dtype=dtype).tocsr()


def csr(matrix: Any) -> CSRTensor:
    return CSRTensor(Tensor(matrix.indptr), Tensor(matrix.indices), Tensor(matrix.data), matrix.shape)


def coo(matrix: Any) -> COOTensor:
    matrix = matrix.tocoo()
    return COOTensor(Tensor(np.stack(matrix.coords, 1)), Tensor(matrix.data), matrix.shape)


def close(got: Tensor, want: np.ndarray) -> None:
    assert got.shape == want.shape
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-6)


def test_products() -> None:
    a, b, x = drawn(17, 11), drawn(11, 13), RNG.random((11, 5), np.float32)
    close(csr(a).mm(Tensor(x)), a @ x)
    close(csr(a).mv(Tensor(x[:, :1])), a @ x[:, :1])
    close(csr(a).mm(csr(b)).to_dense(), (a @ b).toarray())
    close(ops.csr_mm(csr(a), csr(a), trans_b=True).to_dense(), (a @ a.T).toarray())
    close(csr(a).sum(1), a.sum(1).reshape(-1, 1))


def test_sums_and_forms() -> None:
    a, b, x = drawn(9, 7), drawn(9, 7), RNG.random((9, 7), np.float32) + 1
    close((csr(a) + csr(b)).to_dense(), (a + b).toarray())
    close((csr(a) - csr(b)).to_dense(), (a - b).toarray())
    close((coo(a) - coo(b)).to_dense(), (a - b).toarray())
    close((csr(a) * Tensor(x)).to_dense(), a.toarray() * x)
    close((csr(a) / Tensor(x[0])).to_dense(), a.toarray() / x[0])
    close((coo(a) * Tensor(x)).to_dense(), a.toarray() * x)
    close((coo(a) - Tensor(x)), a.toarray() - x)
    close(csr(a).to_coo().to_csr().to_dense(), a.toarray())
    close(Tensor(a.toarray()).to_csr().to_dense(), a.toarray())
    turned = coo(a.T.tocsr()[::-1])  # not in order of rows of the matrix it came from
    close(turned.to_csr().to_dense(), a.T.toarray()[::-1])


def test_empty() -> None:
    zero = Tensor(np.zeros((2, 3), np.float32))
    for x in (zero.to_csr(), zero.to_coo()):
        assert x.size == 0
        close(x.to_dense(), np.zeros((2, 3)))
        close((x + x).to_dense(), np.zeros((2, 3)))
    none = Tensor(np.zeros(0, np.int32))
    assert CSRTensor(none, none, Tensor(np.zeros(0, np.float32)), (2, 3)).size == 0


def test_places_that_occur_twice() -> None:
    x = COOTensor(Tensor([[1, 1], [0, 1], [1, 1]]), Tensor([1.0, 2.0, 4.0]), (2, 2))
    close(x.coalesce().values, np.array([2.0, 5.0]))
    close(x.to_dense(), np.array([[0.0, 2.0], [0.0, 5.0]]))
    close((x + x).to_dense(), np.array([[0.0, 4.0], [0.0, 10.0]]))


def test_more_axes() -> None:
    """Values of a CSRTensor may be arrays; sums go over columns."""
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    x = CSRTensor(Tensor([0, 1, 3]), Tensor([1, 0, 2]), Tensor(values), (2, 4, 2))
    close(x.sum(1), np.array([[[0.0, 1.0]], [[6.0, 8.0]]]))
    close((x * Tensor(np.full((2, 4, 2), 2.0, np.float32))).values, values * 2)


# --- modes ----------------------------------------------------------------------------------------------------------


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


def test_sums_in_a_graph_run_in_pynative_mode() -> None:
    """How many places the sum of two has depends on values."""
    fn = ms.jit(lambda a, b: ops.csr_add(a, b, Tensor(1.0), Tensor(2.0)).to_dense())
    with pytest.warns(CompileFallback):
        got = fn(evaluate("c"), evaluate("c2"))
    close(got, evaluate("c").to_dense().asnumpy() + 2 * evaluate("c2").to_dense().asnumpy())


def test_sums_at_known_places_in_a_graph() -> None:
    """Places from outside of the function are known when it is compiled."""
    fn = ms.jit(function_of_values("(c + c2).to_dense()"), fullgraph=True)
    close(fn(evaluate("v")), (evaluate("c") + evaluate("c2")).to_dense().asnumpy())


def test_gradient_by_a_sparse_tensor() -> None:
    """It has the places of the argument, in both modes, and takes a sensitivity of its kind."""

    def fn(x: Any, dense: Tensor) -> Any:
        return x.mm(dense).sum() + x.values.sum()

    c, d = evaluate("c"), evaluate("d")
    for gradient in (ms.grad(fn, (0, 1)), ms.jit(ms.grad(fn, (0, 1)), fullgraph=True)):
        by_c, by_d = gradient(c, d)
        assert by_c.indptr.asnumpy().tolist() == [0, 1, 3] and by_c.indices.asnumpy().tolist() == [1, 0, 2]
        close(by_c.values, d.asnumpy().sum(1)[[1, 0, 2]] + 1)
        close(by_d, np.repeat(c.to_dense().asnumpy().sum(0)[:, None], 2, 1))
    seeded = ops.GradOperation(sens_param=True)(ops.csr_square)
    close(seeded(c, c).values, 2 * c.values.asnumpy() ** 2)
    close(ms.jit(seeded, fullgraph=True)(c, c).values, 2 * c.values.asnumpy() ** 2)


def test_second_order() -> None:
    o = evaluate("o")

    def slope(x: COOTensor) -> Tensor:
        return ms.grad(lambda y: (y.values**3).sum())(x).values.sum()

    close(ms.grad(slope)(o).values, 6 * o.values.asnumpy())
    close(ms.jit(ms.grad(slope), fullgraph=True)(o).values, 6 * o.values.asnumpy())


WITH_PLACES = [
    ("ops.csr_add(c, c2, Tensor(2.0), Tensor(3.0)).values.sum()", [2.0, 2.0, 2.0]),
    ("(ops.coo_add(o, o, Tensor(3.0)).values ** 2).sum()", [0.0, -16.0, 24.0]),
    ("ops.csr_mm(c, c, trans_b=True).values.sum()", [2.0, -4.0, 6.0]),
    ("(o + o2).to_dense().sum()", [1.0, 1.0, 1.0]),
    ("(o.coalesce().values ** 2).sum()", [2.0, -4.0, 6.0]),
    ("(ops.csr_to_dense(c).to_coo().values ** 2).sum()", [2.0, -4.0, 6.0]),
    ("(o.to_dense().to_csr().values ** 2).sum()", [2.0, -4.0, 6.0]),
    ("ops.SparseSlice()(ij, v, (2, 4), (1, 0), (1, 4))[1].sum()", [0.0, 1.0, 1.0]),
    ("ops.sparse_segment_mean(v, Tensor([0, 2, 2]), Tensor([0, 0, 1])).sum()", [0.5, 0.0, 1.5]),
]


@pytest.mark.parametrize(("text", "want"), WITH_PLACES)
def test_gradients_where_places_depend_on_values(text: str, want: list[float]) -> None:
    v = evaluate("v")
    close(ms.grad(function_of_values(text))(v), np.array(want))


# --- the rest -------------------------------------------------------------------------------------------------------


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
