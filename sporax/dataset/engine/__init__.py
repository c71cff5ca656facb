"""mindspore.dataset.engine: the public names of mindspore.dataset, under their old path."""

from sporax._src.api import dataset as _dataset
from sporax._src.api.dataset import *  # noqa: F403
from sporax.dataset.engine import datasets, iterators, samplers

__all__ = ["datasets", "iterators", "samplers"]
__all__ += _dataset.__all__
