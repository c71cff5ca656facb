"""The path that `mindspore.dataset.vision.c_transforms` had before MindSpore 1.0."""

from sporax.dataset.vision.c_transforms import *  # noqa: F403
from sporax.dataset.vision.c_transforms import __all__ as __all__
