"""Optimizers with torch's signatures and `param_groups`. Each line below makes a file public.

Reading order: `optimizer`, then any rule: `sgd`, `adam`, `adamax`, `nadam`, `radam`, `adagrad`, `adadelta`, `asgd`, `rmsprop`,
`rprop`; `lr_scheduler`, `lr_cycles`.
"""

from sporax._src.optim.param_groups.adadelta import *
from sporax._src.optim.param_groups.adagrad import *
from sporax._src.optim.param_groups.adam import *
from sporax._src.optim.param_groups.adamax import *
from sporax._src.optim.param_groups.asgd import *
from sporax._src.optim.param_groups.nadam import *
from sporax._src.optim.param_groups.optimizer import *
from sporax._src.optim.param_groups.radam import *
from sporax._src.optim.param_groups.rmsprop import *
from sporax._src.optim.param_groups.rprop import *
from sporax._src.optim.param_groups.sgd import *

__all__ = [name for name, value in sorted(globals().items()) if isinstance(value, type)]  # pyright: ignore
