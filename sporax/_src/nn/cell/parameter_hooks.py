"""Forward hooks of Parameters: what a graph computes with in place of their values."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from sporax._src.base.errors import describe, shown
from sporax._src.core.execution import current
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import Scope, as_graph, traceable
from sporax._src.core.tensor import Tensor

_NAME = "Cell.register_parameter_forward_hook"


class ParameterHooks:
    """The forward hooks of Parameters that were registered with one Cell.

    Attributes:
        enabled: Whether some were registered.
        of_all: The hook of the Parameters that have none of their own; None if there is none.
    """

    def __init__(self) -> None:
        self.enabled = False
        self.of_all: Callable[..., Any] | None = None

    def register(self, hook: object) -> None:
        """Register a hook, or a list of dicts of Parameters and their hook."""
        if isinstance(hook, list):
            for params, own in [_checked(item) for item in hook]:
                for param in params:
                    param._forward_hook = own
        elif callable(hook):
            self.of_all = hook
        else:
            raise TypeError(f"{_NAME}: hook must be a function or a list of dicts, got {describe(hook)}.")
        self.enabled = True

    @contextlib.contextmanager
    def applied(self, cell: Any) -> Iterator[None]:
        """In a graph, let Parameters have the values that the hooks return, within the block."""
        if not (self.enabled and as_graph()):
            yield
            return
        hooked = [(p, p._forward_hook or self.of_all) for p in _parameters(cell)]
        with contextlib.ExitStack() as stack:
            for param, hook in hooked:
                if hook is not None:
                    stack.enter_context(_replaced(param, _value(param, traceable(hook))))
            yield


def _checked(item: object) -> tuple[list[Parameter], Callable[..., Any]]:
    if not isinstance(item, dict):
        raise TypeError(f"{_NAME}: each item of the list must be a dict, got {describe(item)}.")
    if "params" not in item or "hook" not in item:
        raise ValueError(f"{_NAME}: each dict must have the keys 'params' and 'hook', got {list(item)}.")
    if not callable(item["hook"]):
        raise TypeError(f"{_NAME}: hook must be callable, got {describe(item['hook'])}.")
    params = list(item["params"])
    for param in params:
        if not isinstance(param, Parameter):
            raise TypeError(f"{_NAME}: params must be Parameters, got {describe(param)}.")
    return params, item["hook"]


def _parameters(cell: Any) -> list[Parameter]:
    """Return the Parameters of a Cell, without those below a Cell that has hooks itself."""
    found: dict[int, Parameter] = {}

    def collect(part: Any) -> None:
        found.update({id(p): p for p in part._params.values() if p is not None})
        for child in part.cells():
            if not child._sporax_hooks.of_parameters.enabled:
                collect(child)

    collect(cell)
    return list(found.values())


def _value(param: Parameter, hook: Callable[..., Any]) -> Tensor:
    value = hook(param)
    if not isinstance(value, Tensor):
        raise TypeError(f"{_NAME}: the hook of '{shown(param.name)}' must return a Tensor, got {describe(value)}.")
    return value


@contextlib.contextmanager
def _replaced(param: Parameter, value: Tensor) -> Iterator[None]:
    """Let a Parameter have a value within the block; a value that is assigned meanwhile stays."""
    scope: Scope | None = current.get().scope
    replacement = value._data
    if scope is None:
        before, node = param._value, param._node
        param._value, param._node = replacement, value._node
        try:
            yield
        finally:
            if param._value is replacement:
                param._value, param._node = before, node
        return
    known = scope.values
    before = {id(param): known[id(param)]} if id(param) in known else {}
    known[id(param)] = replacement
    try:
        yield
    finally:
        if known.get(id(param)) is replacement:
            del known[id(param)]
            known.update(before)
