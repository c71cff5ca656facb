"""Primitives of sets, as sparse Tensors."""

import numpy as np
import pytest

from sporax import Tensor, ops

A, B = Tensor([[1, 2, 3], [4, 5, 5]]), Tensor([[2, 3], [6, 5]])
WANT = {"a-b": ([[0, 0], [1, 0]], [1, 4]), "b-a": ([[1, 0]], [6]),
        "intersection": ([[0, 0], [0, 1], [1, 0]], [2, 3, 5]),
        "UNION": ([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]], [1, 2, 3, 4, 5, 6])}  # fmt: skip


@pytest.mark.parametrize("operation", WANT)
def test_operations(operation: str) -> None:
    places, values = WANT[operation]
    found = ops.DenseToDenseSetOperation(operation)(A, B)
    assert [part.tolist() for part in found[:2]] == [places, values]
    at = Tensor(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    sparse = ops.DenseToSparseSetOperation(operation)(A, at, Tensor([2, 3, 6, 5]), Tensor([2, 2]))
    assert [part.tolist() for part in sparse] == [part.tolist() for part in found]


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="set_operation must be one of a-b, b-a, intersection, union, got 'xor'"):
        ops.DenseToDenseSetOperation("xor")(A, B)
    with pytest.raises(ValueError, match="x1 and x2 must agree but for the last axis"):
        ops.DenseToDenseSetOperation()(A, B[:1])
