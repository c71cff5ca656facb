"""Primitives that take a sparse matrix as indices, values and shape."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.sparse.primitives")
