"""Discrete Fourier transforms of complex, real and Hermitian operands over one axis or several, and their frequencies."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.linalg.fft")
