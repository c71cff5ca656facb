"""Operators, under the path `ops.operations.manually_defined.ops_def`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
