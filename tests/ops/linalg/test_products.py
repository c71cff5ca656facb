"""Products of matrices and vectors: matmul, bmm, dot, addmm, outer, cross, einsum, kron, matrix_power, ..."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.linalg.products")
