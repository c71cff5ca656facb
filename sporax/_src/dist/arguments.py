"""Checks of the arguments that functions among processes have in common, by the names of the arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from sporax._src.core.tensor import Tensor
from sporax._src.dist.checks import REDUCTIONS

_P = ParamSpec("_P")
_R = TypeVar("_R")


def checked(fn: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function check its arguments first (see `check_arguments`)."""
    names = list(inspect.signature(fn).parameters)

    @functools.wraps(fn)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        check_arguments(fn.__name__, **(dict(zip(names, args, strict=False)) | kwargs))
        return fn(*args, **kwargs)

    return call


def check_arguments(what: str, /, **arguments: object) -> None:
    """Check the types of arguments of a function called `what`; a name that says nothing is not checked.

    Raises:
        TypeError: If an argument has an unexpected type, or a reduction is unknown.
    """
    for name, value in arguments.items():
        if name in _CHECKS:
            _CHECKS[name](f"{what}: {name}", value)


def _tensor(what: str, value: object) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"{what} must be a Tensor, got {type(value).__name__}.")


def _tensors(what: str, values: object) -> None:
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{what} must be a list, got {type(values).__name__}.")
    for value in values:
        _tensor(f"an element of {what}", value)
    if len(dtypes := {str(value.dtype): None for value in values}) > 1:
        raise TypeError(f"{what} must have Tensors of one dtype, got {', '.join(dtypes)}.")


def _tensors_of_root(what: str, values: object) -> None:
    """Check a list that only one process has; the others may give None."""
    if values is not None:
        _tensors(what, values)


def _reduction(what: str, value: object) -> None:
    if not isinstance(value, str) or value not in REDUCTIONS:
        raise TypeError(f"{what} must be one of {', '.join(REDUCTIONS)}, got {value!r}.")


def _group(what: str, value: object) -> None:
    if not isinstance(value, (str, type(None))):
        raise TypeError(f"{what} must be the name of a group or None, got {value!r}.")


def _is(kind: type) -> Callable[[str, object], None]:
    """Return the check that a value is of a built-in type."""

    def check(what: str, value: object) -> None:
        if not isinstance(value, kind):
            article = "an" if kind is int else "a"
            raise TypeError(f"{what} must be {article} {kind.__name__}, got {value!r}.")

    return check


_CHECKS: dict[str, Callable[[str, object], None]] = {
    **dict.fromkeys(("tensor", "input", "output", "input_tensor", "output_tensor"), _tensor),
    **dict.fromkeys(("tensor_list", "input_list", "input_tensor_list", "output_tensor_list"), _tensors),
    **dict.fromkeys(("gather_list", "scatter_list"), _tensors_of_root),
    "op": _reduction,
    "group": _group,
    "async_op": _is(bool),
    **dict.fromkeys(("src", "dst", "group_rank", "global_rank"), _is(int)),
    **dict.fromkeys(("object_list", "scatter_object_output_list"), _is(list)),
}
