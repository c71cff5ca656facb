"""The path that `mindspore.parallel._transformer.op_parallel_config` had in MindSpore 1.x."""

from sporax._src.compat.older.parallel._transformer.op_parallel_config import *  # noqa: F403
