"""The names of `ops`, which all its legacy paths share: operators, and what MindSpore keeps with them."""

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
