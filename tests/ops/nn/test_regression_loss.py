"""Losses of regression, of distributions, and of pairs and triplets."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.regression_loss")
