"""Sums, products, quotients, powers and extremes of two and more operands, with MindSpore's promotion."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.arithmetic")
