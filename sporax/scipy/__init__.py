"""mindspore.scipy: SciPy's functions on Tensors."""

from sporax.scipy import linalg, optimize

__all__ = ["linalg", "optimize"]
