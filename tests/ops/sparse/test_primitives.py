"""Primitives that take a sparse matrix as indices, values and shape."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.sparse.primitives")


PLACES = Tensor([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 2, 3]])


ROWS = Tensor([[0.0, 2, 0, 0], [0, 1, 1, 0], [2, 0, 2, 0]])


COUNTED = [[1, 2], [3, 4], [2, 1], [2, 2], [1, 0], [3, 3], [2, 0], [2, 2]]


def ints(*values):
    return Tensor(np.array(values, np.int32))


def test_reshape_moves_places():
    places, shape = ops.SparseReshape()(PLACES, Tensor([2, 3, 6]), Tensor([9, -1]))
    assert places.tolist() == [[0, 0], [0, 1], [1, 2], [4, 2], [8, 1]] and shape.tolist() == [9, 4]


@pytest.mark.parametrize(
    "indices, shape, new, error, said",
    [
        (PLACES.astype(ms.int32), [2, 3, 6], [36], TypeError, "int64"),
        (PLACES, [2, 3], [6], ValueError, "must have shape"),
        (PLACES, [2, 3, 6], [-1, -1], RuntimeError, "one -1"),
        (PLACES, [2, 3, 6], [7, -1], RuntimeError, "cannot have the shape"),
    ],
)
def test_reshape_refuses(indices, shape, new, error, said):
    with pytest.raises(error, match=said):
        ops.SparseReshape()(indices, Tensor(shape), Tensor(new))


@pytest.mark.parametrize("kind, factor", [("Sum", 2.0), ("Mean", 1.0), ("SqrtN", 2**0.5)])
def test_segments(kind, factor):
    op = getattr(ops, f"SparseSegment{kind}WithNumSegments")()
    want = [[factor, factor, factor, 0], [0] * 4, [0, 1, 1, 0], [0] * 4]
    np.testing.assert_allclose(op(ROWS, ints(0, 2, 1), ints(0, 0, 2), ints(4)).asnumpy(), want, rtol=1e-6)


@pytest.mark.parametrize(
    "indices, ids, count, said",
    [
        ((0, 2, 1), (0, 2, 1), 4, "sorted"),
        ((0, 2, 1), (0, 0, 2), 2, r"segment_ids must be in \[0, 2\)"),
        ((0, 2, 3), (0, 0, 1), 4, r"indices must be in \[0, 3\)"),
        ((0, 2), (0, 0, 1), 4, "one length"),
    ],
)
def test_segments_refuse(indices, ids, count, said):
    with pytest.raises(ValueError, match=said):
        ops.SparseSegmentMeanWithNumSegments()(ROWS, ints(*indices), ints(*ids), ints(count))


@pytest.mark.parametrize("kind, factor", [("Sum", 2.0), ("SqrtN", 2**0.5)])
def test_segments_that_the_ids_name(kind, factor):
    op, x = getattr(ops, f"SparseSegment{kind}")(), Tensor([[1.0, 2], [3, 4], [5, 6]])
    np.testing.assert_allclose(
        op(x, ints(0, 1, 1), ints(0, 1, 1)).asnumpy(), [[1, 2], [3 * factor, 4 * factor]], rtol=1e-6
    )
    gradient = ops.grad(lambda x: op(x, ints(0, 1, 1), ints(0, 1, 1)))(x)
    np.testing.assert_allclose(gradient.asnumpy(), [[1, 1], [factor, factor], [0, 0]], rtol=1e-6)
    for ids in ((1, 1, 2), (0, 2, 2)):
        with pytest.raises(ValueError, match="must start at 0 and leave none out"):
            op(x, ints(0, 1, 2), ints(*ids))


def test_segments_of_integers_have_sums_alone():
    rows = ints(1, 2), ints(0, 1), ints(0, 0)
    assert ops.SparseSegmentSum()(*rows).tolist() == [3]
    with pytest.raises(TypeError, match="x must have a float dtype, got Int32"):
        ops.SparseSegmentSqrtN()(*rows)


def sparse_sum(other, values, thresh=0.0, first=(1.0, 2.0), shape=(3, 4)):
    x = Tensor(np.array([[0, 1], [1, 2]])), Tensor(np.array(first, np.float32)), Tensor(np.array(shape))
    return (*x, Tensor(np.array(other)), Tensor(np.array(values, np.float32)), x[2], Tensor(np.float32(thresh)))


@pytest.mark.parametrize(
    "operands, places, values, gradient",
    [
        (sparse_sum([[0, 1], [1, 3]], [1, 2]), [[0, 1], [1, 2], [1, 3]], [2, 2, 2], [1, 1]),
        (sparse_sum([[0, 1], [1, 2]], [-1, 2], 4.0), [[1, 2]], [4], [0, 1]),
        (sparse_sum([[0, 2]], [0.5], 1.5), [[0, 1], [0, 2], [1, 2]], [1, 0.5, 2], [1, 1]),
    ],
)
def test_sparse_sums_and_their_gradients(operands, places, values, gradient):
    got = ops.SparseAdd()(*operands)
    assert [part.tolist() for part in got] == [places, values, [3, 4]]
    assert ops.grad(lambda *a: ops.SparseAdd()(*a)[1], 1)(*operands).tolist() == gradient


@pytest.mark.parametrize(
    "changed, value, error, said",
    [
        (4, Tensor([1, 2]), TypeError, "must have one dtype, got Float32, Int64 and Float32"),
        (6, Tensor(1), TypeError, "must have one dtype, got Float32, Float32 and Int64"),
        (3, ints([0, 1], [1, 2]), TypeError, "indices must have dtype Int64, got Int32"),
        (3, Tensor([[0, 1]]), ValueError, r"indices must have shape \[2, 2\], got \[1, 2\]"),
    ],
)
def test_sparse_sums_refuse(changed, value, error, said):
    operands = list(sparse_sum([[0, 1], [1, 3]], [1, 2]))
    operands[changed] = value
    with pytest.raises(error, match=said):
        ops.SparseAdd()(*operands)


def test_compressed_rows_of_a_batch():
    places = Tensor([[0, 0, 1], [0, 1, 2], [0, 1, 3], [1, 0, 1], [1, 1, 2], [1, 1, 3]])
    out = ops.SparseTensorToCSRSparseMatrix()(places, Tensor([1.0, 4, 3, 1, 4, 3]), Tensor([2, 2, 4]))
    want = [[2, 2, 4], [0, 3, 6], [0, 1, 3, 0, 1, 3], [1, 2, 3, 1, 2, 3], [1, 4, 3, 1, 4, 3]]
    assert [part.tolist() for part in out] == want
    with pytest.raises(ValueError, match="2 or 3 sizes"):
        ops.SparseTensorToCSRSparseMatrix()(places, Tensor([1.0] * 6), Tensor([8]))


def test_softmax_is_that_of_each_row():
    values = Tensor([1.0, 2, 3, 4, 1, 2])
    out = ops.SparseMatrixSoftmax(ms.float32)(ints(2, 6), ints(0, 6), ints(0, 4, 6), ints(0, 2, 3, 4, 3, 4), values)[4]
    want = np.concatenate([ops.softmax(values[:4]).asnumpy(), ops.softmax(values[4:]).asnumpy()])
    np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-6)


@pytest.mark.parametrize(
    "options, places, sums, columns",
    [
        ({}, [[1, 0], [1, 1], [2, 3], [2, 7], [2, 8], [3, 2]], [2, 4, 2, 2, 1, 7], 9),
        ({"maxlength": 4}, [[1, 0], [1, 1], [2, 3], [3, 2]], [2, 4, 2, 7], 4),
        ({"minlength": 12, "maxlength": 4, "binary_output": True}, [[1, 0], [1, 1], [2, 3], [3, 2]], [1] * 4, 4),
        ({"minlength": 12, "maxlength": 0}, [], [], 0),
    ],
)
def test_counts(options, places, sums, columns):
    numbers, weights = Tensor([0, 2, 8, 8, 1, 2, 3, 7]), Tensor([2, 5, 1, 0, 4, 2, 2, 2])
    out = ops.SparseCountSparseOutput(**options)(Tensor(COUNTED), numbers, Tensor([5, 5]), weights)
    assert [part.tolist() for part in out] == [places, sums, [5, columns]]


@pytest.mark.parametrize(
    "options, numbers, weights, error, said",
    [
        ({"binary_output": 1}, [1, 2], [1, 1], TypeError, "must be a bool"),
        ({"minlength": 1.5}, [1, 2], [1, 1], TypeError, "must be an int"),
        ({}, [1, 2], [1], RuntimeError, "one length"),
        ({}, [1, -2], [1, 1], RuntimeError, "negative"),
        ({}, [1, 2], [1, 1], RuntimeError, "within the shape"),
    ],
)
def test_counts_refuse(options, numbers, weights, error, said):
    shape = [1, 1] if said == "within the shape" else [2, 2]
    with pytest.raises(error, match=said):
        ops.SparseCountSparseOutput(**options)(
            Tensor([[0, 0], [1, 1]]), Tensor(numbers), Tensor(shape), Tensor(weights)
        )


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
