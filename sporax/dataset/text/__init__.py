"""mindspore.dataset.text: operations on text."""

from sporax._src.data import text as _text
from sporax._src.data.text import *  # noqa: F403
from sporax.dataset.text import transforms, utils

__all__ = ["transforms", "utils"]
__all__ += _text.__all__
