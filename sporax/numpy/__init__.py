"""NumPy's functions on Tensors, with MindSpore's signatures and dtypes."""

from sporax._src.ops.numpy_view import *  # noqa: F403
from sporax._src.ops.numpy_view import __all__
