"""Operators, under the path `ops.operations.manually_defined`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
from sporax.ops.operations.manually_defined import ops_def
