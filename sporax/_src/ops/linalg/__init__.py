"""Linear algebra and Fourier transforms: `products`, `diagonals`, `linalg`, `fft`, `stft`."""

from sporax._src.ops.linalg import (  # noqa: F401  (importing a family registers its rows)
    diagonals,
    fft,
    linalg,
    products,
    stft,
)
