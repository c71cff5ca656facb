"""Operators: functions, and Primitive classes that take part of their arguments at construction."""

from sporax._src.dist import namespace as collectives
from sporax._src.dist.namespace import *  # noqa: F403
from sporax._src.ops import views
from sporax._src.ops.views import *  # noqa: F403
from sporax._src.transform import namespace
from sporax._src.transform.namespace import *  # noqa: F403

__all__: list[str] = []
__all__ += views.__all__
__all__ += namespace.__all__
__all__ += collectives.__all__
