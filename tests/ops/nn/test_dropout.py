"""Dropout in its forms: random zeros, the rest scaled up by 1 / (1 - p)."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.dropout")
