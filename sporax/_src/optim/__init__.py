"""Optimizers, one rule a file, and learning-rate schedules.

Reading order: `update_rule` and `optimizer` (the base), `checks`, then any rule: `sgd`, `momentum`, `adam`, `lazy_adam`,
`lamb`, `lars`, `adagrad`, `adadelta`, `adafactor`, `adamax`, `asgd`, `ftrl`, `rmsprop`, `rprop`, `thor`; `schedule`, and
`param_groups` with torch's signatures. A new rule is a file and its line here, which makes it public in `nn` and puts it under
the laws of `tests/support/optimizer_laws.py`.
"""

from sporax._src.optim.adadelta import *
from sporax._src.optim.adafactor import *
from sporax._src.optim.adagrad import *
from sporax._src.optim.adam import *
from sporax._src.optim.adamax import *
from sporax._src.optim.asgd import *
from sporax._src.optim.ftrl import *
from sporax._src.optim.lamb import *
from sporax._src.optim.lars import *
from sporax._src.optim.lazy_adam import *
from sporax._src.optim.momentum import *
from sporax._src.optim.optimizer import *
from sporax._src.optim.rmsprop import *
from sporax._src.optim.rprop import *
from sporax._src.optim.sgd import *
from sporax._src.optim.thor import *

__all__ = [name for name, value in sorted(globals().items()) if isinstance(value, type)]  # pyright: ignore
__all__ += ["thor"]  # noqa: F405
