"""Gradients of operators that a program defines, as MindSpore's own are defined.

Three repositories of the census import `bprop_getters`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sporax import nn
from sporax._src.compat.operators import ops
from sporax.ops import Primitive


class _WithGradient(nn.Cell):
    """An operator object as a Cell, whose gradient is a function of its own."""

    def __init__(self, primitive: Primitive, call: Callable[..., Any], bprop: Callable[..., Any]) -> None:
        super().__init__(auto_prefix=False)
        self.operator, self.call, self.bprop = primitive, call, bprop

    def construct(self, *args: Any) -> Any:
        return self.call(self.operator, *args)


class BpropRegistry:
    """Gradients by operator.

    Examples:
        >>> import sporax as ms
        >>> from sporax._src.compat.shims.ops.grad_experimental.grad_base import bprop_getters
        >>> class Twice(ms.ops.Primitive):
        ...     def __call__(self, x):
        ...         return x + x
        >>> @bprop_getters.register(Twice)
        ... def gradient(self):
        ...     return lambda x, out, dout: (5 * dout,)
        >>> ms.grad(Twice("Twice"))(ms.Tensor(1.0)).item()
        5.0
    """

    def __init__(self) -> None:
        self._getters: dict[type[Primitive], Callable[..., Any]] = {}

    def register(self, prim: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return the decorator of a function from an operator object to its `bprop(*inputs, out, dout)`.

        Args:
            prim: The class of the operator, or its name.

        Raises:
            ValueError: If there is no operator of the name.
            TypeError: If `prim` is neither.
        """
        cls = _operator(prim)

        def add(getter: Callable[..., Any]) -> Callable[..., Any]:
            if cls not in self._getters:
                _differentiate(cls, self._getters)
            self._getters[cls] = getter
            return getter

        return add

    def get(self, prim_obj: object, default: object = None) -> Any:
        """Return the function registered for an operator's object, class or name."""
        cls = _operator(type(prim_obj) if isinstance(prim_obj, Primitive) else prim_obj)
        return self._getters.get(cls, default)


def _differentiate(cls: type[Primitive], getters: dict[type[Primitive], Callable[..., Any]]) -> None:
    """Let the objects of a class take their gradient from the function registered for it."""
    call = cls.__call__

    def with_gradient(self: Any, *args: object) -> Any:
        return _WithGradient(self, call, getters[cls](self))(*args)

    cls.__call__ = with_gradient


def _operator(prim: object) -> type[Primitive]:
    if isinstance(prim, str):
        for cls in _subclasses(Primitive):
            if cls.__name__ == prim:
                return cls
        raise ValueError(f"bprop_getters.register: there is no operator {prim!r}.")
    if not isinstance(prim, type) or not issubclass(prim, ops.Primitive):
        raise TypeError(f"bprop_getters.register: expected a class of operators or a name, got {prim!r}.")
    return prim


def _subclasses(cls: type) -> Iterator[type]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)


bprop_getters = BpropRegistry()
