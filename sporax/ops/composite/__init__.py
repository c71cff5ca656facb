"""Operators, under the path `ops.composite`."""

from sporax.ops.composite import base, env_ops, math_ops, multitype_ops  # noqa: F401
from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__  # noqa: F401
