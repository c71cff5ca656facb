"""Arithmetic of sparse Tensors with each other and with dense ones."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.sparse.arithmetic")
