"""Choosing between elements: where, select, and limits on values and norms."""

import numpy as np
from laws.rows import laws_of
from small_tensors import F, check, f

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.array.selection")


def test_limits():
    check(ops.clamp(Tensor([3, 1, 2], ms.int32), 1.5, 2), "int32", [2, 1, 2])
    check(ops.clip(f(), 2, 1), "float32", np.ones((2, 3)))
    check(f().clip(Tensor([1.0, 2.0, 3.0])), "float32", [[3, 2, 3], [2, 3, 3]])
    check(ops.clip_by_value([f(), Tensor([5])], 1, 2)[1], "int64", [2])
    check(ops.clip_by_global_norm([f(), f()], 1.0)[0], "float32", F / np.sqrt(72))
    check(ops.clip_by_norm(f(), 1.0), "float32", F / 6)
