"""Operators, under the path `ops.function.sparse_unary_func`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
