"""Operators, under the path `ops.auto_generate.gen_ops_prim`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
