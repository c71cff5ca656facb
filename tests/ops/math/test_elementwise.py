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


@pytest.mark.parametrize("write", [ops.inplace_sigmoid, ms.mint.nn.functional.sigmoid_])
@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_the_sigmoid_in_place_has_the_gradient_of_the_sigmoid(write, run):
    x = Tensor([0.0, 1.0])
    assert write(x) is x
    check(x, "float32", [0.5, 0.7310586])
    check(run(write)(Tensor([0.0, 1.0])), "float32", [0.5, 0.7310586])
    gradient = run(ms.grad(lambda x: write(x * 1.0) * 2))(Tensor([0.0, 1.0]))
    check(gradient, "float32", [0.5, 0.39322388])
    with pytest.raises(RuntimeError, match=r"ops\.inplace_sigmoid: .* several elements are one"):
        write(Tensor([1.0]).expand(3))
