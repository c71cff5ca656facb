"""Sparse Tensors in other forms: values as MindSpore 2.7.0 gives them, and every refusal."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

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
