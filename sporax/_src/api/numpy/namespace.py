"""The namespace `numpy`: views of the op table, and functions of its own, under MindSpore's names."""

from sporax._src.api.numpy import (  # noqa: F401  (importing registers the functions)
    arrays,
    creation,
    elementwise,
    products,
    reduction,
    sets,
)
from sporax._src.api.numpy.asarray import NUMPY

globals().update(NUMPY)

__all__ = [*sorted(NUMPY)]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
