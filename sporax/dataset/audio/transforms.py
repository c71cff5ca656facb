"""mindspore.dataset.audio.transforms: operations on sound, under their full path."""

from sporax._src.data import audio as _audio
from sporax._src.data.audio import *  # noqa: F403
from sporax._src.data.audio.base import AudioTensorOperation

__all__ = ["AudioTensorOperation"]
__all__ += _audio.__all__
