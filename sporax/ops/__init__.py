"""Operators: functions, and Primitive classes that take part of their arguments at construction."""

from sporax.ops import auto_generate, composite, function, functional, operations, primitive
from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
