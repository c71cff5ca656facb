"""Checks of arguments of `mindspore.dataset.core.validator_helpers`: each raises if a value does not fit.

`models` (`research/cv/tgcn`) imports INT32_MAX; the others are what `dataset.transforms.validators` checks with.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe

__all__ = ["INT32_MAX", "check_tensor_op", "check_value", "pad_arg_name", "parse_user_args", "type_check"]
INT32_MAX = 2**31 - 1


def type_check(arg: object, types: tuple[type, ...], arg_name: object) -> None:
    """Raise TypeError unless a value has one of some types; a bool is no int."""
    if not isinstance(arg, types) or (isinstance(arg, bool) and int in types and bool not in types):
        names = ", ".join(kind.__name__ for kind in types)
        raise TypeError(f"Argument {arg_name} must be of type {names}, got {type(arg).__name__} {describe(arg)}.")


def check_tensor_op(param: object, param_name: str) -> None:
    """Raise TypeError unless something can be called, or has a method `parse`."""
    if not callable(param) and not getattr(param, "parse", None):
        raise TypeError(f"{param_name} is neither a transforms op nor a callable, got {describe(param)}.")


def pad_arg_name(arg_name: str) -> str:
    """Return a name with a blank behind it; of `""` nothing."""
    return f"{arg_name} " if arg_name else arg_name


def check_value(
    value: object,
    valid_range: Any,
    arg_name: str = "",
    left_open_interval: bool = False,
    right_open_interval: bool = False,
) -> None:
    """Raise ValueError unless a number lies between two others, which belong to the interval unless it is open there."""
    low, high = valid_range[0], valid_range[1]
    outside = (
        value < low or value > high or (left_open_interval and value == low) or (right_open_interval and value == high)
    )
    if outside:
        left, right = "[("[left_open_interval], "])"[right_open_interval]
        raise ValueError(
            f"Input {pad_arg_name(arg_name)}is not within the required interval of {left}{low}, {high}{right}, got {value}."
        )


def parse_user_args(method: Callable[..., Any], *args: object, **kwargs: object) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call with their defaults, in order and by name; those of a method come without `self`.

    Raises:
        TypeError: If they do not fit the signature.
    """
    signature = inspect.signature(method)
    owned = not {"self", "cls"}.isdisjoint(signature.parameters)
    bound = signature.bind(*([method] if owned else []), *args, **kwargs)
    bound.apply_defaults()
    return [bound.arguments.get(name) for name in list(signature.parameters)[owned:]], bound.arguments
