"""Optimizers."""

from sporax._src.optim import *  # noqa: F403
from sporax._src.optim import __all__
