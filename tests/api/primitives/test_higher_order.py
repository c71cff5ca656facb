"""Functions over functions and values: HyperMap, Map, MultitypeFuncGraph, partial, constexpr, tuples to Tensors."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.api.primitives.higher_order")
