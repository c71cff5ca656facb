"""Functions of neural networks with torch's signatures."""

from sporax._src.ops.mint_functional import *  # noqa: F403
from sporax._src.ops.mint_functional import __all__
