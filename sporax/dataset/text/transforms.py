"""mindspore.dataset.text.transforms: operations on text, under their full path."""

from sporax._src.data import text as _text
from sporax._src.data.text import *  # noqa: F403
from sporax._src.data.text.base import TextTensorOperation

__all__ = ["TextTensorOperation"]
__all__ += _text.__all__
