"""Operators that write Parameters, and operators that are about the program: depend, stop_gradient, Print, ..."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.assign")
