"""Operators, under the path `ops.operations.debug_ops`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
