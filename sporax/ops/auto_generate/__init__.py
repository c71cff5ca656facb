"""Operators, under the path `ops.auto_generate`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
from sporax.ops.auto_generate import gen_ops_def, gen_ops_prim
