"""Differences and integrals along an axis."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.calculus")
