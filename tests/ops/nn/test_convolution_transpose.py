"""Transposed convolutions: the maps that take a convolution's outputs back to its inputs."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.convolution_transpose")
