"""Operators about the program: functions as operators, copies between devices, casts of nested values."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Parameter, Tensor, nn, ops

test_row = laws_of("sporax._src.api.primitives.program")


X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


class Scaled(nn.Cell):
    """The example of a function of a weight within a Morph."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(X), name="weight")
        self.twice = ops.Morph(lambda x: x * 2, lambda s: s, lambda t: t)

    def construct(self, x):
        return self.twice(x * self.weight).sum()


def test_functions_as_operators(run):
    net = Scaled()
    np.testing.assert_array_equal(run(ms.grad(net), Tensor(X)).asnumpy(), 2 * X)
    assert ops.Reusing()(net) is net
    assert ops.PyExecute()("a + b", ("a", "b"), (1, 2)) == 3


def test_copy_with_slice():
    p = Parameter(Tensor(np.zeros((2, 2), np.float32)), name="p")
    np.testing.assert_array_equal(ops.CopyWithSlice()(p, Tensor(X)).asnumpy(), X)
    np.testing.assert_array_equal(p.asnumpy(), X)


def test_morph_with_a_derivative_of_its_own(run):
    def triple(x, out, dout):
        return dout * 3

    morph = ops.Morph(lambda x: x * 2, lambda s: s, lambda d: d, triple)
    value, gradient = run(lambda x: (morph(x), ms.grad(morph)(x)), Tensor([3.0]))
    assert (value.asnumpy().tolist(), gradient.asnumpy().tolist()) == ([6.0], [3.0])
    both = ops.Morph(lambda x, y: (x, y), None, None, bprop_fn=lambda x, y, out, dout: (dout[0] + 1, dout[1] + out[0]))
    gradients = run(lambda x, y: ms.grad(lambda x, y: both(x, y)[0], (0, 1))(x, y), Tensor([3.0]), Tensor([4.0]))
    assert [g.asnumpy().tolist() for g in gradients] == [[2.0], [3.0]]
    short = ops.Morph(lambda x, y: x, None, None, lambda x, y, out, dout: dout)
    with pytest.raises(TypeError, match=r"ops\.Morph: bprop_fn must return 2 gradients, got 1\."):
        ms.grad(short)(Tensor([3.0]), Tensor([4.0]))
    with pytest.raises(TypeError, match=r"ops\.Morph: with bprop_fn each argument must be a Tensor, got 3\."):
        morph(3)
    with pytest.raises(TypeError, match=r"ops\.Morph: with bprop_fn each result must be a Tensor, got 1\."):
        ops.Morph(lambda x: 1, None, None, triple)(Tensor([3.0]))
