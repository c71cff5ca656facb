"""Optimizers with torch's signatures."""

from sporax._src.optim import param_groups as _rules
from sporax._src.optim.param_groups import *  # noqa: F403
from sporax.experimental.optim import lr_scheduler

__all__ = ["lr_scheduler"]
__all__ += _rules.__all__
