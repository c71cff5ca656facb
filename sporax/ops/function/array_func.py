"""Operators, under the path `ops.function.array_func`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
