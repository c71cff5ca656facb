"""Operators, under the path `ops.composite.env_ops`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
