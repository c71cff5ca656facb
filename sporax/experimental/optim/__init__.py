"""Optimizers with torch's signatures."""

import sporax._src.optim.param_groups as rules
from sporax._src.optim.param_groups import *  # noqa: F403
from sporax.experimental.optim import lr_scheduler

__all__ = ["lr_scheduler"]
__all__ += rules.__all__
