"""Rotary embedding of queries and keys, and the ways of tokens to experts and back."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.moe")
