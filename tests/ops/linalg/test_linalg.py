"""Linear algebra: inverses, determinants, solvers, factorisations."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.linalg.linalg")
