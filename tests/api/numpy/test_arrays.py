"""Functions of `numpy` that rearrange, join and take apart."""

from numpy_laws import calls_of

test_function = calls_of("sporax._src.api.numpy.arrays")
