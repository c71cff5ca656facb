"""Functions of one operand, element by element: exponentials, logarithms, rounding, signs, parts of complex numbers."""

import pytest
from laws.rows import laws_of
from small_tensors import check

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.math.elementwise")


def test_integers_have_no_exponential():
    for function in (ops.exp, ops.log, ops.sin, ops.tanh, ops.floor, ops.rsqrt):
        with pytest.raises(TypeError, match="float"):
            function(Tensor([1, 2], ms.int32))
    check(ops.sqrt(Tensor([1, 4], ms.int32)), "float32", [1, 2])
    check(ops.exp2(Tensor([1, 3], ms.int32)), "float32", [2, 8])
