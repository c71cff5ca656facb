"""mindspore.dataset.engine.datasets: the dataset classes, under their old path."""

from sporax._src.data import sources as _sources
from sporax._src.data import transformations as _transformations
from sporax._src.data.dataset import Dataset
from sporax._src.data.sources import *  # noqa: F403
from sporax._src.data.transformations import *  # noqa: F403

__all__ = ["Dataset"]
__all__ += _sources.__all__
__all__ += _transformations.__all__
