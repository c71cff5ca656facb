"""Arithmetic of sparse Tensors with each other and with dense ones."""

import numpy as np
import pytest
from laws.rows import laws_of
from sparse_tensors import RNG, close, csr, drawn, evaluate, function_of_values

import sporax as ms
from sporax import COOTensor, Tensor, ops
from sporax._src.base.errors import CompileFallback

test_row = laws_of("sporax._src.ops.sparse.arithmetic")


def test_what_joining_refuses():
    kinds = (ms.float32, (2, 2)), (ms.int32, (2, 2)), (ms.float32, (3, 2))
    x, y, z = (ms.COOTensor(Tensor([[0, 1]]), Tensor([1], dtype), shape) for dtype, shape in kinds)
    with pytest.raises(TypeError, match="the values must have one dtype, got Float32, Int32"):
        ops.coo_concat((x, y))
    with pytest.raises(RuntimeError, match="sizes along the other axis"):
        ops.coo_concat((x, z), 1)
    with pytest.raises(IndexError, match="concat_dim must be in"):
        ops.coo_concat((x, x), 2)
    with pytest.raises(TypeError, match=r"concat_dim must be an int, got -1\.0"):
        ops.coo_concat((x, x), -1.0)


def test_products() -> None:
    a, b, x = drawn(17, 11), drawn(11, 13), RNG.random((11, 5), np.float32)
    close(csr(a).mm(Tensor(x)), a @ x)
    close(csr(a).mv(Tensor(x[:, :1])), a @ x[:, :1])
    close(csr(a).mm(csr(b)).to_dense(), (a @ b).toarray())
    close(ops.csr_mm(csr(a), csr(a), trans_b=True).to_dense(), (a @ a.T).toarray())
    close(csr(a).sum(1), a.sum(1).reshape(-1, 1))


def test_places_that_occur_twice() -> None:
    x = COOTensor(Tensor([[1, 1], [0, 1], [1, 1]]), Tensor([1.0, 2.0, 4.0]), (2, 2))
    close(x.coalesce().values, np.array([2.0, 5.0]))
    close(x.to_dense(), np.array([[0.0, 2.0], [0.0, 5.0]]))
    close((x + x).to_dense(), np.array([[0.0, 4.0], [0.0, 10.0]]))


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
