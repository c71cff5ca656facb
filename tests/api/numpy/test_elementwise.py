"""Functions of `numpy` that work element by element."""

from numpy_laws import calls_of

test_function = calls_of("sporax._src.api.numpy.elementwise")
