"""Pooling by maxima, means and norms in one, two and three dimensions, and what all poolings share."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.pooling")
