"""Operators that convert the dtype, and what a Tensor is as Python values: cast, shape, rank, size, dtype."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.cast")
