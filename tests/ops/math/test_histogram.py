"""Counts and histograms, differences and covariance."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.histogram")
