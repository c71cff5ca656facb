"""Affine maps: dense and bilinear layers, and adding a bias."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.linear")
