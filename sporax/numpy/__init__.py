"""NumPy's functions on Tensors, with MindSpore's signatures and dtypes."""

from sporax._src.api.numpy.namespace import *  # noqa: F403
from sporax._src.api.numpy.namespace import __all__
