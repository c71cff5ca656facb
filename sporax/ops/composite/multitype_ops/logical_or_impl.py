"""Operators, under the path `ops.composite.multitype_ops.logical_or_impl`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
