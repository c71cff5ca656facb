"""NumPy's functions on Tensors, with MindSpore's signatures and dtypes."""

from sporax._src.ops import numpy_view
from sporax._src.ops.numpy_view import *  # noqa: F403

__all__ = numpy_view.__all__
