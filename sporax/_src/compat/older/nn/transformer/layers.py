"""The path that `mindspore.parallel._transformer.layers` had in MindSpore 1.x."""

from sporax._src.compat.older.parallel._transformer.layers import *  # noqa: F403
