"""Products of sparse matrices with dense ones, and the lesser of two sparse Tensors, against NumPy."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

RNG = np.random.default_rng(0)
FIRST, SECOND = (
    np.array([[[1, 0, 2, 0], [0, 0, 0, 0], [0, 3j, 0, 4]]]),
    np.array([[[0, 5, 0, 0], [6, 0, 0, 7j], [0] * 4]]),
)
DENSE = RNG.normal(size=(2, 4, 2)) + 1j * RNG.normal(size=(2, 4, 2))


def rows_form(matrices):
    """Return shape, batch pointers, row pointers, columns and values of matrices (batch, rows, columns)."""
    held = matrices != 0
    ends = np.pad(np.cumsum(held.sum(2), 1), ((0, 0), (1, 0)))
    starts = np.pad(np.cumsum(held.sum((1, 2))), (1, 0))
    shape = matrices.shape if len(matrices) > 1 else matrices.shape[1:]
    parts = (shape, starts, ends.ravel(), np.nonzero(held)[2])
    return *[Tensor(np.asarray(p, np.int32)) for p in parts], Tensor(matrices[held].astype(np.complex64))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize(
    "flag", ["", "transpose_x1", "adjoint_x1", "adjoint_x2", "transpose_output", "conjugate_output"]
)
def test_product_of_sparse_and_dense_matrices(flag, batch, mode):
    ms.set_context(mode=mode)
    x1, x2 = np.concatenate([FIRST, SECOND])[:batch], DENSE[:batch]
    a, b = x1, x2
    if flag.endswith("_x1"):
        x2 = b = x2[:, :3]
        a = np.swapaxes(x1.conj() if flag == "adjoint_x1" else x1, 1, 2)
    elif flag == "adjoint_x2":
        x2 = np.swapaxes(b.conj(), 1, 2)
    want = a @ b
    want = np.swapaxes(want, 1, 2) if flag == "transpose_output" else want
    want = want.conj() if flag == "conjugate_output" else want
    dense = Tensor(np.ascontiguousarray(x2 if batch > 1 else x2[0]).astype(np.complex64))
    got = ops.SparseMatrixMatMul(**({flag: True} if flag else {}))(*rows_form(x1), dense)
    np.testing.assert_allclose(got.asnumpy(), want if batch > 1 else want[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "flags, dense, error, said",
    [
        (
            {"transpose_x1": True, "adjoint_x1": True},
            np.ones((4, 2), np.complex64),
            ValueError,
            "only one of adjoint_x1",
        ),
        ({}, np.ones((3, 2), np.complex64), ValueError, "x2 must have 4 rows, got 3"),
        ({}, np.ones((4, 2), np.float32), TypeError, "x2_dense must have dtype Complex64, got Float32"),
        ({}, np.ones((1, 4, 2), np.complex64), ValueError, "x1 and x2 must be matrices"),
    ],
)
def test_what_the_product_refuses(flags, dense, error, said):
    with pytest.raises(error, match=said):
        ops.SparseMatrixMatMul(**flags)(*rows_form(FIRST), Tensor(dense))


def test_product_of_integers_is_refused():
    *places, values = rows_form(FIRST)
    with pytest.raises(TypeError, match="x1_values must have dtype float32, float64 or a complex one, got Int32"):
        ops.SparseMatrixMatMul()(*places, Tensor(np.ones(len(values), np.int32)), Tensor(np.ones((4, 2), np.int32)))


SHAPE = Tensor([2, 2])
AT_FIRST, AT_SECOND = Tensor([[0, 0], [0, 1], [1, 1]]), Tensor([[0, 0], [1, 0], [1, 1]])


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_lesser_of_two_sparse_tensors(dtype):
    first, second = (Tensor(np.array(v, dtype)) for v in ([1, 2, -3], [2, -4, 5]))
    places, values = ops.SparseSparseMinimum()(AT_FIRST, first, SHAPE, AT_SECOND, second, SHAPE)
    assert places.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    np.testing.assert_array_equal(values.asnumpy(), np.array([1, 0, -4, -3], dtype), strict=True)


@pytest.mark.parametrize(
    "change, error, said",
    [
        ({5: Tensor([2, 3])}, ValueError, "x1_shape and x2_shape must be equal"),
        ({4: Tensor([1, 2, 3])}, TypeError, "x2_values must have dtype Float32, got Int64"),
        ({3: Tensor(np.zeros((3, 2), np.int32))}, TypeError, "x2_indices must have dtype int64, got Int32"),
        ({1: Tensor([1.0])}, ValueError, r"x1_indices must have shape \[1, 2\], got \[3, 2\]"),
    ],
)
def test_what_the_lesser_refuses(change, error, said):
    operands = [AT_FIRST, Tensor([1.0, 2.0, 3.0]), SHAPE, AT_SECOND, Tensor([1.0, 2.0, 3.0]), SHAPE]
    with pytest.raises(error, match=said):
        ops.SparseSparseMinimum()(*[change.get(i, v) for i, v in enumerate(operands)])


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
