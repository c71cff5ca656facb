"""Functions of neural networks with torch's signatures."""

from sporax._src.api.mint.functional import *  # noqa: F403
from sporax._src.api.mint.functional import __all__
