"""Sparse Tensors and dense ones: conversions, and the operators that act on each value held."""

from typing import Any

import numpy as np
import pytest
from laws.rows import laws_of
from sparse_tensors import RNG, close, coo, csr, drawn, evaluate

import sporax as ms
from sporax import COOTensor, CSRTensor, Tensor, ops

test_row = laws_of("sporax._src.ops.sparse.sparse")


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


def test_more_axes() -> None:
    """Values of a CSRTensor may be arrays; sums go over columns."""
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    x = CSRTensor(Tensor([0, 1, 3]), Tensor([1, 0, 2]), Tensor(values), (2, 4, 2))
    close(x.sum(1), np.array([[[0.0, 1.0]], [[6.0, 8.0]]]))
    close((x * Tensor(np.full((2, 4, 2), 2.0, np.float32))).values, values * 2)


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
