"""Normalisation over layers, groups, channels and the batch, and what all normalisations share."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.normalization")
