"""The namespace `numpy`: views of the op table, and functions of its own, under MindSpore's names."""

from sporax._src.ops import (  # noqa: F401  (importing a family registers its functions)
    numpy_arrays,
    numpy_creation,
    numpy_elementwise,
    numpy_grids,
    numpy_pad,
    numpy_products,
    numpy_reduction,
    numpy_sets,
)
from sporax._src.ops.numpy_base import NUMPY

globals().update(NUMPY)

__all__ = [*sorted(NUMPY)]  # noqa: PLE0604
