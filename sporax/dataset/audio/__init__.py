"""mindspore.dataset.audio: operations on sound."""

from sporax._src.data import audio as _audio
from sporax._src.data.audio import *  # noqa: F403
from sporax.dataset.audio import transforms, utils

__all__ = ["transforms", "utils"]
__all__ += _audio.__all__
