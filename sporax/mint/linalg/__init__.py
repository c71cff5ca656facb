"""Linear algebra with torch's signatures."""

from sporax._src.ops.mint_linalg import *  # noqa: F403
from sporax._src.ops.mint_linalg import __all__
