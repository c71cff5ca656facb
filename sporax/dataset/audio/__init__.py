"""mindspore.dataset.audio: operations on sound."""

from sporax._src.data import audio as _audio
from sporax._src.data.audio import *  # noqa: F403

__all__: list[str] = []
__all__ += _audio.__all__
