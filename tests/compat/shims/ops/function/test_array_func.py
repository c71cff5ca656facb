"""Operators that stand ready-made in `ops.function.array_func`."""

import numpy as np

from sporax import Tensor
from sporax.ops.function.array_func import arg_max_with_value_, arg_min_with_value_


def test_ready_made_primitives() -> None:
    x = Tensor([[1.0, 3.0], [5.0, 2.0]])
    for primitive, index, value in (
        (arg_max_with_value_, [1, 0], [5.0, 3.0]),
        (arg_min_with_value_, [0, 1], [1.0, 2.0]),
    ):
        where, found = primitive(x)
        np.testing.assert_array_equal(where.asnumpy(), index)
        np.testing.assert_array_equal(found.asnumpy(), value)
