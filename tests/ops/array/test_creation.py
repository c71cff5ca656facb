"""Operators that make Tensors from sizes and numbers: zeros, full, arange, linspace, eye, one_hot, tril, ..."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.creation")
