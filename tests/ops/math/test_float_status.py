"""The flag of overflow."""

import numpy as np
import pytest

from sporax import Tensor, ops

X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


@pytest.mark.parametrize(("factor", "over"), [(1.0, False), (1e30, True)])
def test_overflow_flag(run, factor, over):
    def step(x):
        status = ops.NPUAllocFloatStatus()()
        status = ops.depend(status, x)
        cleared = ops.NPUClearFloatStatus()(status)
        x = ops.depend(x, cleared)
        grads = (x * factor * factor, x)
        status = ops.depend(status, grads)
        read = ops.NPUGetFloatStatus()(status)
        status = ops.depend(status, read)
        return ops.ReduceSum()(status, (0,)) >= 1

    assert bool(run(step, Tensor(X)).asnumpy()) is over


def test_overflow_flag_errors():
    with pytest.raises(TypeError, match="input must be a Tensor"):
        ops.NPUGetFloatStatus()(3)
    with pytest.raises(TypeError, match="float16 or float32, got Int64"):
        ops.NPUClearFloatStatus()(Tensor([1]))
