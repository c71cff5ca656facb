"""Optimizers with torch's signatures."""

from sporax._src.optim import param_groups as _rules
from sporax._src.optim.param_groups import *  # noqa: F403
from sporax.experimental.optim import adamw, lr_scheduler, optimizer

__all__ = ["adamw", "lr_scheduler", "optimizer"]
__all__ += _rules.__all__
