"""The names of `ops`, which all its legacy paths share: operators, and transforms that MindSpore keeps with them."""

from sporax._src.ops import views
from sporax._src.ops.views import *  # noqa: F403
from sporax._src.transform import namespace
from sporax._src.transform.namespace import *  # noqa: F403

__all__ = views.__all__ + namespace.__all__
