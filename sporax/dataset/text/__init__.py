"""mindspore.dataset.text: operations on text."""

from sporax._src.data import text as _text
from sporax._src.data.text import *  # noqa: F403

__all__: list[str] = []
__all__ += _text.__all__
