"""Operators: functions, and Primitive classes that take part of their arguments at construction."""

from sporax._src.api import ops, transforms
from sporax._src.api.ops import *  # noqa: F403
from sporax._src.api.transforms import *  # noqa: F403

__all__: list[str] = []
__all__ += ops.__all__
__all__ += transforms.__all__
