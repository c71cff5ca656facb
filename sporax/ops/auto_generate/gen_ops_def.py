"""Operators, under the path `ops.auto_generate.gen_ops_def`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
