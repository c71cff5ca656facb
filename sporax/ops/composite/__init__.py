"""Operators, under the path `ops.composite`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
from sporax.ops.composite import base, env_ops, math_ops, multitype_ops
