"""Trigonometric and hyperbolic functions."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.trigonometry")
