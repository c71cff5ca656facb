"""Operators on the diagonals of matrices: diag, diagonal, diag_embed, trace, matrix_diag, matrix_band_part, ..."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.linalg.diagonals")
