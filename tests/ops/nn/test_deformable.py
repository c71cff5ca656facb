"""Deformable convolution: a convolution whose kernel elements look at places that the input moves."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.deformable")
