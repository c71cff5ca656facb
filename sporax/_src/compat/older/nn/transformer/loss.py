"""The path that `mindspore.parallel._transformer.loss` had in MindSpore 1.x."""

from sporax._src.compat.older.parallel._transformer.loss import *  # noqa: F403
