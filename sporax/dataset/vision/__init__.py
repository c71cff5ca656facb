"""mindspore.dataset.vision: operations on images."""

from sporax._src.data import vision as _vision
from sporax._src.data.vision import *  # noqa: F403

__all__: list[str] = []
__all__ += _vision.__all__
