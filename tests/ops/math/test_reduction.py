"""Reductions over axes: sums, products, means, truth, counts, extremes, and the running forms of them."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.reduction")
