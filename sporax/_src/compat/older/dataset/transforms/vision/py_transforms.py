"""The path that `mindspore.dataset.vision.py_transforms` had before MindSpore 1.0."""

from sporax.dataset.vision.py_transforms import *  # noqa: F403
from sporax.dataset.vision.py_transforms import __all__ as __all__
