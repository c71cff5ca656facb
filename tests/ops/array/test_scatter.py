"""Operators that put values at indices, slices or segments of a Tensor and return the result (Parameters: see `assign`)."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.scatter")
