"""The namespace `numpy`: views of the op table, and functions of its own, under MindSpore's names."""

from sporax._src.ops import (  # noqa: F401  (importing a family registers its functions)
    numpy_arrays,
    numpy_arrays_choices,
    numpy_arrays_parts,
    numpy_creation,
    numpy_creation_matrices,
    numpy_creation_random,
    numpy_elementwise,
    numpy_elementwise_limits,
    numpy_grids,
    numpy_pad,
    numpy_products,
    numpy_products_differences,
    numpy_products_polynomials,
    numpy_reduction,
    numpy_reduction_nan,
    numpy_sets,
    numpy_sets_histograms,
)
from sporax._src.ops.numpy_base import NUMPY

globals().update(NUMPY)

__all__ = [*sorted(NUMPY)]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
