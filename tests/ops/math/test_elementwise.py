"""Functions of one operand, element by element: exponentials, logarithms, rounding, signs, parts of complex numbers."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.math.elementwise")
