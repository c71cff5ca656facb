"""Primitive classes and small operators that are views of other rows: shapes, diagonals, permutations, indices."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.api.primitives.arrays")
