"""Operators that pick elements by index or value: gather, gather_nd, index_select, take, narrow, slice, ..."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.gather")
