"""Products, interpolation and convolution of `numpy`."""

from numpy_laws import calls_of

test_function = calls_of("sporax._src.api.numpy.products")
