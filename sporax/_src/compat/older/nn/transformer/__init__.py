"""The path that `mindspore.parallel._transformer` had in MindSpore 1.x."""

from sporax._src.compat.older.parallel._transformer import *  # noqa: F403
from sporax._src.compat.older.parallel._transformer import __all__ as __all__
