"""Adaptive pooling: the windows follow from the size of the output. And the inverse of max pooling."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.adaptive_pooling")
