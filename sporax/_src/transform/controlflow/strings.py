"""Strings that show Tensors, and `print`, in a graph: formatted and printed in order when the graph runs."""

from __future__ import annotations

import builtins
import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax

from sporax._src.base.jax_compat import is_tracer
from sporax._src.base.typing import Array
from sporax._src.core import printing, tree
from sporax._src.core.execution import current, following, running
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.transform.controlflow import failures
from sporax._src.transform.controlflow.failures import NeedsValue


def traced_in(*values: object) -> bool:
    """Return whether nested values hold a traced Tensor or a `Text` that shows one."""
    leaves: list[Tensor] = []
    tree.flatten(values, is_tensor, leaves)
    return any(is_tracer(t._data) for t in leaves)


class Text(tuple):
    """A string that shows Tensors: `(fn, args, kwargs)`, the call that formats it once their values are known.

    If they are known, `Text((fn, args, kwargs))` is the string itself. It is a tuple so that functions that flatten nested
    values find the Tensors in it.
    """

    def __new__(cls, call: Any) -> Any:
        fn, args, kwargs = call
        return super().__new__(cls, call) if traced_in(args, kwargs) else fn(*args, **kwargs)

    def __add__(self, other: object) -> Any:
        return Text((operator.add, (self, other), {}))

    def __radd__(self, other: object) -> Any:
        return Text((operator.add, (other, self), {}))

    def __mod__(self, other: object) -> Any:
        return Text((operator.mod, (self, other), {}))

    def __str__(self) -> str:
        raise NeedsValue("the text of a traced Tensor is used while the graph is built")

    __repr__ = __len__ = __getitem__ = __contains__ = __format__ = __str__  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # read by code that inspects types
            raise AttributeError(name)
        raise NeedsValue(f"the text of a traced Tensor is used while the graph is built: str.{name}")


_CONVERSIONS: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}


def _shown(value: object, conversion: int, spec: str) -> str:
    return format(_CONVERSIONS[conversion](value) if conversion in _CONVERSIONS else value, spec)


def _joined(*parts: Any) -> str:
    return "".join([p if isinstance(p, str) else _shown(*p) for p in parts])


def joined(*parts: object) -> Any:
    """Return an f-string from its strings, and from `(value, conversion, spec)` for each value in it."""
    return Text((_joined, parts, {}))


def formatted(template: str, *args: object, **kwargs: object) -> Any:
    """`template.format(*args, **kwargs)`."""
    return Text((str.format, (template, *args), kwargs))


def percent(template: Any, values: Any) -> Any:
    """`template % values`."""
    return Text((operator.mod, (template, values), {})) if isinstance(template, str) else template % values


def text_of(value: object) -> Any:
    """`str(value)`."""
    return Text((str, (value,), {}))


# --- print ------------------------------------------------------------------------------------------------------------


class _Printing:
    """The replacement of `print`: the number of graphs being built in all threads, and the original function.

    A built-in can only be replaced for all threads. The replacement acts like Python's `print` in threads without a
    trace.
    """

    lock = threading.Lock()
    depth = 0
    python: Callable[..., None] = builtins.print


def _print(*values: object, **kwargs: object) -> None:
    """Print when the graph runs if one is being built: one value a line like MindSpore's graphs, or like Python."""
    if not tracing():
        _Printing.python(*values, **kwargs)
        return
    if not current.get().python.prints:
        return
    leaves: list[Tensor] = []
    structure = tree.flatten((values, kwargs), is_tensor, leaves)
    in_lines = not kwargs and not any(isinstance(v, Text) for v in values) and all(map(printing.in_lines, values))

    def now(*arrays: Array) -> None:
        shown, options = tree.unflatten(structure, iter([wrap(a) for a in arrays]))
        if in_lines:
            shown, options = [line for value in shown for line in printing.lines(value)], {"sep": "\n"}
        if shown or not in_lines:
            _Printing.python(*shown, **options)

    arrays = [t._data for t in leaves]
    if failures.may_have_failed():
        jax.lax.cond(failures.going_on(), lambda: jax.debug.callback(now, *arrays, ordered=True), lambda: None)
    else:
        jax.debug.callback(now, *arrays, ordered=True)


@contextmanager
def printing_in_order() -> Iterator[None]:
    """While a graph is built, make `print` part of the graph."""
    with _Printing.lock:
        if not _Printing.depth:
            _Printing.python, builtins.print = builtins.print, _print
        _Printing.depth += 1
    try:
        yield
    finally:
        with _Printing.lock:
            _Printing.depth -= 1
            if not _Printing.depth:
                builtins.print = _Printing.python


def silent() -> running:
    """Trace without `print`, for code that the graph computes a second time."""
    return following(prints=False)
