"""Comparisons, logic of truth values and of bits, tests of single elements."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.comparison")
