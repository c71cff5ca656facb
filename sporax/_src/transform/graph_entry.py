"""Entry: a graph with the state of the program at its capture, and when it is valid for a call."""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Sequence
from typing import Any

from sporax._src.core.parameter import Parameter
from sporax._src.core.stateful import Stateful, graph_version
from sporax._src.transform import capture

_clock = itertools.count()


class Entry:
    """A graph with the state of the Cells at its capture.

    Args:
        graph: The graph.
        reached: The `id` of each Parameter that the function could reach (see `find_states`).

    Attributes:
        used: When the graph was last used; a larger number is later.
    """

    __slots__ = ("cells", "fingerprint", "graph", "reached", "seen", "used")

    def __init__(self, graph: capture.Graph, reached: list[int]) -> None:
        self.graph = graph
        self.reached = reached
        self.cells = graph.cells
        self.fingerprint = [c._sporax_fingerprint() for c in self.cells]
        self.seen = graph_version.now
        self.used = next(_clock)

    def fits(self, fn: Callable[..., Any], args: Sequence[Any]) -> bool:
        """Return whether the graph is valid for a call `fn(*args)` now."""
        if not self.graph.captured_state.fit():
            return False
        self.used = next(_clock)
        now = graph_version.now
        if self.seen == now:
            return True
        if type(self.graph) is not capture.graph_class or self.fingerprint != [
            c._sporax_fingerprint() for c in self.cells
        ]:
            return False
        if self.reached != list(map(id, find_states(fn, args))):
            return False
        self.seen = now
        return True


def find_states(fn: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """Return the Parameters that `fn` can reach directly: through its arguments, closure, globals and `self`."""
    states: list[Any] = []
    for value in (*args, *_reached(fn)):
        if isinstance(value, Stateful):
            states.extend(value._sporax_states())
        elif isinstance(value, Parameter):
            states.append(value)
        elif isinstance(value, (list, tuple)):
            states.extend(v for v in value if isinstance(v, Parameter))
    return states


def _reached(fn: Callable[..., Any]) -> list[Any]:
    seen: list[Any] = [getattr(fn, "__self__", None), *getattr(fn, "reaches", ())]
    fn = getattr(fn, "__func__", fn)
    if isinstance(fn, functools.partial):
        return [*seen, *fn.args, *_reached(fn.func)]
    for cell in getattr(fn, "__closure__", None) or ():
        try:
            value = cell.cell_contents
        except ValueError:  # a name of the enclosing function that is not bound yet
            continue
        seen.append(value)
        if isinstance(value, (types.FunctionType, types.MethodType)):
            seen.extend(_reached(value))
        seen.extend(getattr(value, "reaches", ()))
    code = getattr(fn, "__code__", None)
    if code is not None:
        seen.extend(fn.__globals__[n] for n in code.co_names if n in fn.__globals__)
    return seen
