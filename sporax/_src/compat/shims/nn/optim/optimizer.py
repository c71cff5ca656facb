"""The decorator of constructors of `mindspore.nn.optim.optimizer`.

Optimizers of mindcv, mindocr, mindscience, mindformers and `models` are decorated with it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from sporax.nn import Cell


def opt_init_args_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Have an optimizer's constructor keep its arguments as `init_params`, `init_learning_rate` and `init_args`."""

    @functools.wraps(fn)
    def init(self: Any, *args: object, **kwargs: object) -> None:
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        arguments = dict(list(bound.arguments.items())[1:])
        fn(self, *args, **kwargs)
        rate = arguments.pop("learning_rate", None)
        keep = object.__setattr__
        keep(self, "init_params", {"params": arguments.pop("params", None)})
        keep(self, "init_learning_rate", None if isinstance(rate, Cell) else rate)
        keep(self, "init_args", arguments)

    return init
