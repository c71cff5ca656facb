"""Operators, under the path `ops.function.array_func`."""

from sporax._src.compat.legacy.ops_instances import arg_max_with_value_, arg_min_with_value_
from sporax.ops import _namespace
from sporax.ops._namespace import *  # noqa: F403

__all__ = ["arg_max_with_value_", "arg_min_with_value_"]
__all__ += _namespace.__all__
