"""mindspore.dataset.transforms: operations on arrays."""

from sporax._src.data import transforms as _transforms
from sporax._src.data.transforms import *  # noqa: F403

__all__: list[str] = []
__all__ += _transforms.__all__
