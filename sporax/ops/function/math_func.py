"""Operators, under the path `ops.function.math_func`."""

from sporax.ops import functional as F
from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
