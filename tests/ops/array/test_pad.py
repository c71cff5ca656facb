"""Padding at the ends of axes."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.pad")
