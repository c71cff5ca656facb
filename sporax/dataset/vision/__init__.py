"""mindspore.dataset.vision: operations on images."""

from sporax._src.data import vision as _vision
from sporax._src.data.vision import *  # noqa: F403
from sporax.dataset.vision import c_transforms, py_transforms, transforms, utils

__all__ = ["c_transforms", "py_transforms", "transforms", "utils"]
__all__ += _vision.__all__
