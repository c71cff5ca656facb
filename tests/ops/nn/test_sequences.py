"""Sequences of tokens: n-grams that would repeat, and the edit distance."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.sequences")
