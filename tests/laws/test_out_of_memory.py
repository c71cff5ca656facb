"""What does not fit into memory is an error of Python, not the end of the process."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

TERABYTES = {
    "arange": lambda: ops.arange(2**42),
    "eye": lambda: ops.eye(2**21),
    "randn": lambda: ops.randn(2**42),
    "matmul": lambda: ops.matmul(Tensor(np.ones((2**21, 1), np.float32)), Tensor(np.ones((1, 2**21), np.float32))),
}


@pytest.mark.parametrize("name", TERABYTES)
def test_terabytes(name):
    with pytest.raises(RuntimeError, match=r"(?i)out of memory"):
        TERABYTES[name]().asnumpy()


def test_more_elements_than_can_be_counted():
    with pytest.raises(
        RuntimeError, match=r"out of memory: a result of shape .* has 18446744073709551616 elements of float32"
    ):
        ops.zeros((2**62, 4))


def test_a_question_about_the_value():
    with pytest.raises(RuntimeError, match=r"(?i)out of memory"):
        bool(ops.zeros(2**42, ms.float32).sum() > ops.arange(2**42).sum())
