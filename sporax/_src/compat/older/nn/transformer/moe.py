"""The path that `mindspore.parallel._transformer.moe` had in MindSpore 1.x."""

from sporax._src.compat.older.parallel._transformer.moe import *  # noqa: F403
