"""What the tests of a run of one process share."""

import numpy as np

from sporax import Tensor


def x() -> Tensor:
    return Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))


def same(got: Tensor) -> None:
    np.testing.assert_array_equal(got.asnumpy(), x().asnumpy())
