"""torch's functions on Tensors, with torch's signatures and defaults."""

from typing import TYPE_CHECKING

import sporax.ops
from sporax._src.api.mint import namespace
from sporax._src.api.mint.namespace import *  # noqa: F403

if TYPE_CHECKING:  # imported when a program first asks for them
    from sporax.mint import distributed, linalg, nn, optim, special

__all__ = ["distributed", "linalg", "nn", "optim", "special"]
__all__ += namespace.__all__
