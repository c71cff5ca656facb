"""Operators that rearrange, reverse, shift and repeat along axes: reshape, transpose, flip, roll, tile, ..."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.shape")
