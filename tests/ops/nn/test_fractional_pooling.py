"""Pooling over windows whose positions are drawn: fractional maximum and mean."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.fractional_pooling")
