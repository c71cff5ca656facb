"""Decorators of constructors, the folder maker, and the loss among outputs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sporax.nn import Cell


def opt_init_args_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Have an optimizer's constructor keep its arguments as `init_params`, `init_learning_rate` and `init_args`."""

    @functools.wraps(fn)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        fn(self, *args, **kwargs)
        rate = given.pop("learning_rate", None)
        keep = object.__setattr__
        keep(self, "init_params", {"params": given.pop("params", None)})
        keep(self, "init_learning_rate", None if isinstance(rate, Cell) else rate)
        keep(self, "init_args", given)

    return init


def cell_attr_register(fn: Callable[..., None] | None = None, attrs: Any = None) -> Any:
    """Return a Cell's constructor as it is: MindSpore registers its arguments to tell Cells of one kind apart.

    Args:
        fn: The constructor; None to use it as `cell_attr_register(attrs=...)`.
        attrs: Names of arguments; has no effect.
    """
    return (lambda init: init) if fn is None else fn


def _make_directory(path: str, arg_name: str = "path") -> str:
    """Make a folder and return its absolute path."""
    if not isinstance(path, str) or not path:
        raise TypeError(f"The argument '{arg_name}' must be a non-empty string, got {path!r}.")
    folder = Path(path).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)
