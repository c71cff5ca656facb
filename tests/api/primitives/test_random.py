"""Primitive classes of random draws."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.api.primitives.random")
