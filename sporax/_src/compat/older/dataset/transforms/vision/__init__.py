"""The path that `mindspore.dataset.vision` had before MindSpore 1.0."""

from sporax._src.compat.older.dataset.transforms.vision import c_transforms as c_transforms
from sporax._src.compat.older.dataset.transforms.vision import py_transforms as py_transforms
from sporax.dataset.vision import *  # noqa: F403
from sporax.dataset.vision import __all__ as __all__
