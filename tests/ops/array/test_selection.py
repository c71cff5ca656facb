"""Choosing between elements: where, select, and limits on values and norms."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.selection")
