"""Spread and order statistics: variance, median, quantiles."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.statistics")
