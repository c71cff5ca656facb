"""Linear algebra with torch's signatures."""

from sporax._src.api.mint.linalg import *  # noqa: F403
from sporax._src.api.mint.linalg import __all__
