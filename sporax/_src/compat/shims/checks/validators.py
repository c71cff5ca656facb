"""The decorators of methods that programs import from the `validators` modules of `mindspore.dataset`.

`check_random_transform_ops` checks. Every other `check_*` gives its method back: the operation of `sporax.dataset` that such a
method makes in the end checks its arguments itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sporax._src.compat.shims.checks.validator_helpers import check_tensor_op, check_value, parse_user_args, type_check
from sporax.log import warning

__all__ = [
    "check_random_transform_ops", "deprecated_c_transforms", "deprecated_c_vision", "deprecated_py_transforms",
    "deprecated_py_vision", "deprecator_factory", "invalidate_callable",
]  # fmt: skip


def check_random_transform_ops(method: Callable[..., Any]) -> Callable[..., Any]:
    """Have a constructor check its list of operations: not empty, and each an instance that can be called.

    An argument behind the list is a probability.
    """

    @functools.wraps(method)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
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


def invalidate_callable(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method as it is: no operation keeps anything that a change of it makes old."""
    return method


def deprecator_factory(
    version: str,
    old_module: str,
    new_module: str,
    substitute_name: str | None = None,
    substitute_module: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that has a constructor log where the successor of its class is.

    Args:
        version: Since when the class is deprecated.
        old_module, new_module: Where it is, and where its successor.
        substitute_name: The name of the successor; None if it has the same.
        substitute_module: Where the successor is, if not in `new_module`.
    """

    def decorate(op: Callable[..., Any]) -> Callable[..., Any]:
        name = op.__qualname__.split(".")[0]

        @functools.wraps(op)
        def warned(*args: Any, **kwargs: Any) -> Any:
            warning(
                f"'{name}' from {old_module} is deprecated from version {version} and will be removed in a future version. "
                f"Use '{substitute_name or name}' from {substitute_module or new_module} instead."
            )
            return op(*args, **kwargs)

        return warned

    return decorate


def _deprecated(old: str, new: str) -> Callable[..., Any]:
    return lambda substitute_name=None, substitute_module=None: deprecator_factory(
        "1.8", f"mindspore.dataset.{old}", f"mindspore.dataset.{new}", substitute_name, substitute_module
    )


deprecated_c_transforms = _deprecated("transforms.c_transforms", "transforms")
deprecated_py_transforms = _deprecated("transforms.py_transforms", "transforms")
deprecated_c_vision = _deprecated("vision.c_transforms", "vision")
deprecated_py_vision = _deprecated("vision.py_transforms", "vision")


def __getattr__(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    if not name.startswith("check_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return lambda method: method
