"""Operators that join Tensors and take them apart: concat, stack, meshgrid, split, chunk, unbind, ..."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.joining")
