"""torch's functions on Tensors, with torch's signatures and defaults."""

from sporax._src.ops import mint_view
from sporax._src.ops.mint_view import *  # noqa: F403
from sporax.mint import distributed, linalg, nn, optim, special

__all__ = ["distributed", "linalg", "nn", "optim", "special"]
__all__ += mint_view.__all__
