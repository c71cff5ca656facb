"""The path that `mindspore.parallel._transformer.transformer` had in MindSpore 1.x."""

from sporax._src.compat.older.parallel._transformer.transformer import *  # noqa: F403
