"""Tensor methods: those of rows that name one, and lines or functions for methods with signatures of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import UNTRACEABLE
from sporax._src.bindings.adapters import views
from sporax._src.bindings.call_errors import explained, forms
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import TABLE

METHODS: dict[str, Callable[..., Any]] = {}


def method(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of a Tensor as its method(s)."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        for name in names or (fn.__name__,):
            _add(name, fn)
        return fn

    return register


def prop(
    *names: str, write: Callable[[Tensor, Any], None] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of a Tensor as a property; `write` is the function that assigns it."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        for name in names or (fn.__name__,):
            _add(name, property(fn, write))
        return fn

    return register


def methods(lines: str, rows: Mapping[str, Any] | None = None, **helpers: object) -> None:
    """Register lines of a table (see `adapters`) as methods and properties.

    Args:
        lines: The lines; their first parameter is `self`, which they leave out.
        rows: Functions that lines may call, besides the rows of the table.
        helpers: What further names of expressions stand for.
    """
    known = {name: row.public for name, row in TABLE.items()} | dict(rows or {})
    for view in views(lines, known, "Tensor", helpers, "self"):
        (prop if view.is_property else method)(*view.names)(view.function)
        if view.forms:
            forms(*view.names, of=view.forms)


def _add(name: str, value: Any) -> None:
    if name in METHODS:
        raise ValueError(f"two methods of Tensor are called '{name}'")
    METHODS[name] = value


def bind() -> None:
    """Put the methods of all rows, and the adapters, onto Tensor."""
    for row in {id(r): r for r in TABLE.values()}.values():
        for name in row.method:
            _add(name, row.public)
    for name, value in METHODS.items():
        if not value.__doc__:
            value.__doc__ = _text(name)
        if not name.startswith("__") and not isinstance(value, (property, staticmethod)):
            value = _bound(name, value)
        setattr(Tensor, name, value)


def _text(name: str) -> str | None:
    """Return the docstring of the row with the name of a method that has no docstring."""
    row = TABLE.get(name) or TABLE.get(name.strip("_"))
    if row is None or name.startswith("__") or not name.endswith("_") or row.name == name:
        return row.public.__doc__ if row else None
    return f"Give this Tensor itself the values that `ops.{row.name}` returns.\n\n{inspect.getdoc(row.public)}"


def _bound(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as the method `name`, whose failing calls are explained."""

    @functools.wraps(fn)
    def call(self: Tensor, *args: object, **kwargs: object) -> Any:
        if not isinstance(self, Tensor):
            raise TypeError(f"Tensor.{name} is a method of Tensors, got {describe(self)}.")
        try:
            return fn(self, *args, **kwargs)
        except (TypeError, ValueError, AttributeError) as error:
            if isinstance(error, UNTRACEABLE):
                raise
            explanation = explained(name, fn, args, kwargs, error)
            if explanation is error:
                raise
            raise explanation from error

    return call
