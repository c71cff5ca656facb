"""Special functions: error, gamma, zeta and Bessel functions."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.special")
