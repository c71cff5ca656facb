"""Operators, under the path `ops.operations._tensor_array`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
