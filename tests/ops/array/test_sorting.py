"""Operators that order elements: sort, argsort, topk, searchsorted, bucketize, kthvalue, ... Indices are int32."""

import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.array.sorting")


@pytest.mark.parametrize("largest", [True, False])
def test_all_elements_stay_in_place_unless_they_are_to_be_sorted(largest):
    x = Tensor([[3.0, 1, 2], [4, 6, 5]])
    for value, place in (ops.topk(x, 3, None, largest, False), ops.TopK(False)(x, 3), x.top_k(3, False)):
        assert value.tolist() == x.tolist() and place.dtype == ms.int32 and place.tolist() == [[0, 1, 2]] * 2
    value, place = ops.topk(x, 2, 0, largest, False)
    assert value.tolist() == x.tolist() and place.tolist() == [[0] * 3, [1] * 3]
