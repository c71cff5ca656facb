"""Operators about the program: functions as operators, copies between devices, casts of nested values."""

import numpy as np
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
