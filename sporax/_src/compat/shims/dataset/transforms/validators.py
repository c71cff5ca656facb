"""The decorators of methods of `mindspore.dataset.transforms.validators` and `mindspore.dataset.engine.validators`.

`check_random_transform_ops` checks; `models` (`research/cv/trn`) imports it. Every other `check_*` gives its method back, as
`check_batch`, which a repository of the census imports: the operation of `sporax.dataset` that such a method makes in the end
checks its arguments itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sporax._src.compat.shims.dataset.core.validator_helpers import (
    check_tensor_op,
    check_value,
    parse_user_args,
    type_check,
)

__all__ = ["check_random_transform_ops"]


def check_random_transform_ops(method: Callable[..., Any]) -> Callable[..., Any]:
    """Have a constructor check its list of operations: not empty, and each an instance that can be called.

    An argument behind the list is a probability.
    """

    @functools.wraps(method)
    def checked(self: Any, *args: object, **kwargs: object) -> Any:
        (transforms, *more), _ = parse_user_args(method, *args, **kwargs)
        type_check(transforms, (list,), "transforms list")
        if not transforms:
            raise ValueError("transforms list can not be empty.")
        for i, op in enumerate(transforms):
            check_tensor_op(op, f"transforms[{i}]")
            if type(op) is type:
                raise ValueError(
                    f"transforms[{i}] should be an instance, got the class {op.__name__}; write {op.__name__}()."
                )
        if more:
            type_check(more[0], (float, int), "prob")
            check_value(more[0], (0, 1), "prob")
        return method(self, *args, **kwargs)

    return checked


def __getattr__(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    if not name.startswith("check_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return lambda method: method
