"""Convolutions in one, two and three dimensions: the padding rules, and which formulation XLA runs fastest."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.convolution")
