"""Further functions of two operands: number theory, logarithms of sums."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.binary")
