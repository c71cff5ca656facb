"""Norms of vectors and matrices."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.norms")
