"""Windows (Hann, Hamming, Blackman, Bartlett, Kaiser) and the short-time Fourier transform."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.linalg.stft")
