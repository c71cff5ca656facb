"""Decorators of constructors, the folder maker, and the decorators that warn once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

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


class _LogActionOnce:
    """Decorates a function: what it warns of with `logger.warning` is shown once for each key.

    Args:
        logger: The logger, a module or an object.
        key: What has been shown.
        no_warning: Whether nothing is shown at all.
    """

    is_logged: ClassVar[dict[Any, bool]] = {}

    def __init__(self, logger: Any, key: Any, no_warning: bool = False) -> None:
        self.logger, self.key, self.no_warning = logger, key, no_warning

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def run(*args: Any, **kwargs: Any) -> Any:
            quiet = self.no_warning or self.key in self.is_logged
            self.is_logged[self.key] = True
            with mock.patch.object(self.logger, "warning", lambda *_, **__: None) if quiet else nullcontext():
                return func(*args, **kwargs)

        return run
