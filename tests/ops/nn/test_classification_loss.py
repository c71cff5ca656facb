"""Losses of classification: cross entropies, margins between classes, distances and similarities."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.classification_loss")
