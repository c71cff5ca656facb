"""Functions among processes, over Tensors in place or not."""

from sporax._src.dist import communication
from sporax._src.dist.communication import *  # noqa: F403

__all__: list[str] = []
__all__ += communication.__all__
