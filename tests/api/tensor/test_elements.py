"""Methods on the elements of a Tensor: names of their arguments."""

from small_tensors import check, f

import sporax as ms
from sporax import Tensor, ops


def test_arguments_of_methods_that_have_two_names():
    x, condition = Tensor([2.0, 3.0]), Tensor([True, False])
    check(x.expand_as(x=ops.ones((2, 2))), "float32", [[2, 3], [2, 3]])
    check(f().index_select(dim=1, index=Tensor([2])), "float32", [[2], [3]])
    check(x.select(condition, Tensor([7.0, 8.0])), "float32", [2, 8])
    check(x.select(condition=condition, y=9.0), "float32", [2, 9])
    check(Tensor([2, 3], ms.int32).select(condition, 1), "int32", [2, 1])
    check(f().select(dim=1, index=2), "float32", [2, 3])
