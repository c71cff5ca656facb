"""Operators with a strategy: the classes of Primitives whose calls shard their operands over the devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sporax._src.sharding.layout import Layout
from sporax._src.sharding.rules import check_rules, named_arguments
from sporax._src.sharding.strategies import BY_HAND, cut_call, cutting_here


class Sharded:
    """The mixin of Primitives with a strategy."""

    name: str
    attrs: dict[str, Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call: Callable[..., Any] = super().__call__  # type: ignore[misc]
        here = cutting_here()
        if here is None or self.attrs.keys().isdisjoint(("in_strategy", *BY_HAND)):
            return call(*args, **kwargs)
        strategies = self.attrs.get("in_strategy"), self.attrs.get("out_strategy")
        check_rules(self, self.name, named_arguments(call, args, kwargs), strategies[1], here.devices)
        return cut_call(self.name, call, (args, kwargs), *strategies, here.devices, self.attrs)

    def __reduce_ex__(self, protocol: object) -> Any:
        return _rebuilt, (type(self).__mro__[2],), self.__dict__


def _rebuilt(kind: type) -> Any:
    instance = object.__new__(kind)
    instance.__class__ = sharded(kind)
    return instance


@functools.cache
def sharded(kind: type) -> type:
    """Return the subclass of a Primitive class with a strategy; it has the same name."""
    if issubclass(kind, Sharded):
        return kind
    body = {"__doc__": kind.__doc__, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind.__name__, (Sharded, kind), body)


def check_strategy(name: str, what: str, strategy: object) -> bool:
    """Check the type of a strategy, and return whether it consists of Layouts.

    Raises:
        TypeError: If it is no tuple of tuples of ints, or of Layouts.
    """
    if not isinstance(strategy, tuple) or not all(isinstance(s, (tuple, Layout)) for s in strategy):
        raise TypeError(f"{name}: {what} must be a tuple of tuples, or of Layouts, got {strategy!r}.")
    inner = [s for part in strategy if isinstance(part, tuple) for s in part]
    if not all(isinstance(s, (int, tuple, Layout)) for s in inner):
        raise TypeError(f"{name}: the numbers of {what} must be ints, got {strategy!r}.")
    return any(isinstance(s, Layout) for s in (*strategy, *inner))
