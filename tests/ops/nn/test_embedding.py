"""Embedding tables and the affine maps of layers."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.embedding")
