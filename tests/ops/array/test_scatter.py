"""Operators that put values at indices, slices or segments of a Tensor and return the result (Parameters: see `assign`)."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops
from sporax.ops.operations import _inner_ops

test_row = laws_of("sporax._src.ops.array.scatter")


def gradients(fn, *operands):
    return [g.tolist() for g in ops.GradOperation(get_all=True)(fn)(*operands)]


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_integer_updates_have_gradients_beside_integer_indices(run):
    places, updates = Tensor([[1, 0], [1, 1], [1, 0]]), Tensor([3, 4, 5], ms.int16)
    got = gradients(run(lambda i, u: ops.scatter_nd(i, u, (2, 2))), places, updates)
    assert got == [[[0, 0]] * 3, [1, 1, 1]]


def test_the_gradient_of_a_product_of_segments_is_exact_at_zeros():
    x = Tensor([[1.0, 2, 3], [4, 0, 0], [4, 2, 0]])
    product = lambda x: ops.unsorted_segment_prod(x, Tensor([0, 1, 1], ms.int32), 2)
    assert ops.grad(product)(x).tolist() == [[1, 1, 1], [4, 2, 0], [4, 0, 0]]
    left_out = ops.grad(lambda x: ops.unsorted_segment_prod(x, Tensor([0, -1, 1], ms.int32), 2))(x)
    assert left_out.tolist() == [[1, 1, 1], [0, 0, 0], [1, 1, 1]]


def test_counts_may_be_tensors_of_one_element():
    x = Tensor([1.0, 3.0, 2.0])
    assert ops.topk(x, Tensor([2]))[0].tolist() == [3, 2]
    assert ops.unsorted_segment_sum(x, Tensor([0, 1, 0]), Tensor([2])).tolist() == [3, 3]
    with pytest.raises(TypeError, match="num_segments must be an int"):
        ops.unsorted_segment_max(x, Tensor([0, 1, 0]), Tensor([2]))


def test_slices_are_copied_with_steps_of_one():
    copy = _inner_ops.TensorCopySlices()
    got = copy(ops.zeros((3, 3)), Tensor([5.0, 6]), (1, 1), (2, 3), (1, 1))
    assert got.tolist() == [[0, 0, 0], [0, 5, 6], [0, 0, 0]]
    with pytest.raises(RuntimeError, match=r"strides must be 1, got \(2,\)"):
        copy(ops.zeros((3, 3)), Tensor([5.0]), (0,), (3,), (2,))


def test_updates_do_not_broadcast_to_the_places_they_go_to():
    wrong = r"must have shape \[2, 2\], got \[1, 2\]"
    for call in (ops.tensor_scatter_add, ops.tensor_scatter_max):
        with pytest.raises(ValueError, match=wrong):
            call(ops.ones((3, 2)), Tensor([[0], [2]]), ops.ones((1, 2)))
    parameter = ms.Parameter(ops.ones((3, 2)))
    for call in (ops.scatter_update, ops.scatter_mul):
        with pytest.raises(ValueError, match=wrong):
            call(parameter, Tensor([0, 2]), ops.ones((1, 2)))
    with pytest.raises(ValueError, match=wrong):
        parameter.index_add(0, Tensor([0, 2]), ops.ones((1, 2)))
    np.testing.assert_array_equal(parameter.asnumpy(), np.ones((3, 2)))
