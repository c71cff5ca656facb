"""Optimizers with torch's signatures and `param_groups`. Each line below makes a file public.

Reading order: `optimizer`, then any rule: `sgd`, `adam`, `adamax`, `nadam`, `radam`, `adagrad`, `adadelta`, `asgd`, `rmsprop`,
`rprop`; `lr_scheduler`, `lr_cycles`.

Written by `python tools/stubs.py`.
"""

from sporax._src.optim.param_groups.adadelta import Adadelta as Adadelta
from sporax._src.optim.param_groups.adagrad import Adagrad as Adagrad
from sporax._src.optim.param_groups.adam import Adam as Adam
from sporax._src.optim.param_groups.adam import AdamW as AdamW
from sporax._src.optim.param_groups.adamax import Adamax as Adamax
from sporax._src.optim.param_groups.asgd import ASGD as ASGD
from sporax._src.optim.param_groups.nadam import NAdam as NAdam
from sporax._src.optim.param_groups.optimizer import Optimizer as Optimizer
from sporax._src.optim.param_groups.radam import RAdam as RAdam
from sporax._src.optim.param_groups.rmsprop import RMSprop as RMSprop
from sporax._src.optim.param_groups.rprop import Rprop as Rprop
from sporax._src.optim.param_groups.sgd import SGD as SGD

__all__ = ['ASGD', 'Adadelta', 'Adagrad', 'Adam', 'AdamW', 'Adamax', 'NAdam', 'Optimizer', 'RAdam', 'RMSprop', 'Rprop', 'SGD']
