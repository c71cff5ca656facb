"""Sparse Tensors and dense ones: conversions, and the operators that act on each value held."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.sparse.sparse")
