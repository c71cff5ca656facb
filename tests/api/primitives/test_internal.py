"""Primitive classes that MindSpore keeps for itself."""

import numpy as np

from sporax import Tensor, ops


def test_a_sequence_is_joined():
    assert ops.auto_generate.SequenceConcat(axis=1)((Tensor([[1]]), Tensor([[2]]))).tolist() == [[1, 2]]


X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


def test_in_place_operators_write_their_operand(run):
    def step(x, y):
        ops.InplaceAddExt()(x, y)
        ops.InplaceSubExt()(x, 1.0, 2)
        return x

    np.testing.assert_array_equal(run(step, Tensor(X), Tensor(X)).asnumpy(), 2 * X - 2)
