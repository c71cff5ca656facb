"""Optimizers, one rule a file, and learning-rate schedules.

Reading order: `update_rule` and `optimizer` (the base), `checks`, then any rule: `sgd`, `momentum`, `adam`, `lazy_adam`,
`lamb`, `lars`, `adagrad`, `adadelta`, `adafactor`, `adamax`, `asgd`, `ftrl`, `rmsprop`, `rprop`, `thor`; `schedule`, and
`param_groups` with torch's signatures. A new rule is a file and its line here, which makes it public in `nn` and puts it under
the laws of `tests/support/optimizer_laws.py`.

Written by `python tools/stubs.py`.
"""

from sporax._src.optim.adadelta import Adadelta as Adadelta
from sporax._src.optim.adafactor import AdaFactor as AdaFactor
from sporax._src.optim.adagrad import Adagrad as Adagrad
from sporax._src.optim.adam import Adam as Adam
from sporax._src.optim.adam import AdamWeightDecay as AdamWeightDecay
from sporax._src.optim.adamax import AdaMax as AdaMax
from sporax._src.optim.asgd import ASGD as ASGD
from sporax._src.optim.ftrl import FTRL as FTRL
from sporax._src.optim.ftrl import ProximalAdagrad as ProximalAdagrad
from sporax._src.optim.lamb import Lamb as Lamb
from sporax._src.optim.lars import LARS as LARS
from sporax._src.optim.lazy_adam import AdamOffload as AdamOffload
from sporax._src.optim.lazy_adam import LazyAdam as LazyAdam
from sporax._src.optim.momentum import Momentum as Momentum
from sporax._src.optim.optimizer import Optimizer as Optimizer
from sporax._src.optim.rmsprop import RMSProp as RMSProp
from sporax._src.optim.rprop import Rprop as Rprop
from sporax._src.optim.sgd import SGD as SGD
from sporax._src.optim.thor import thor as thor

__all__ = ['ASGD', 'AdaFactor', 'AdaMax', 'Adadelta', 'Adagrad', 'Adam', 'AdamOffload', 'AdamWeightDecay', 'FTRL', 'LARS', 'Lamb', 'LazyAdam', 'Momentum', 'Optimizer', 'ProximalAdagrad', 'RMSProp', 'Rprop', 'SGD', 'thor']
