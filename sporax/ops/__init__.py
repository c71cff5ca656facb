"""Operators: functions, and Primitive classes that take part of their arguments at construction."""

from typing import TYPE_CHECKING

from sporax._src.api import ops, transforms
from sporax._src.api.ops import *  # noqa: F403
from sporax._src.api.transforms import *  # noqa: F403

if TYPE_CHECKING:  # imported when a program first asks for it
    from sporax.ops import communication as communication

__all__: list[str] = []
__all__ += ops.__all__
__all__ += transforms.__all__
