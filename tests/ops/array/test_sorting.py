"""Operators that order elements: sort, argsort, topk, searchsorted, bucketize, kthvalue, ... Indices are int32."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.array.sorting")
