"""mindspore.dataset.transforms: operations on arrays."""

from sporax._src.data import transforms as _transforms
from sporax._src.data.transforms import *  # noqa: F403
from sporax.dataset.transforms import c_transforms, py_transforms, transforms

__all__ = ["c_transforms", "py_transforms", "transforms"]
__all__ += _transforms.__all__
