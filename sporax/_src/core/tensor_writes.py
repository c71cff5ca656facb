"""Tensors from outside that a trace assigns in place: their values before the trace, and which of them outlive it."""

from __future__ import annotations

import sys
from typing import Any

from sporax._src.base.jax_compat import is_of_current_trace


class TensorWrites:
    """The Tensors that a trace created, those it assigned in place, and those that may outlive it.

    Attributes:
        before: For each Tensor assigned in place, by `id`: the Tensor, and its array before the trace.
        escaping: The Tensors, by `id`, that an attribute or a container was assigned.
    """

    __slots__ = ("_created", "before", "escaping")

    def __init__(self) -> None:
        self._created: dict[int, Any] = {}
        self.before: dict[int, tuple[Any, Any]] = {}
        self.escaping: dict[int, Any] = {}

    def note_created(self, tensor: object) -> None:
        """Record that the trace created a Tensor, though its value may come from outside."""
        self._created[id(tensor)] = tensor

    def has_created(self, tensor: object) -> bool:
        """Return whether the trace created a Tensor."""
        return id(tensor) in self._created

    def note_assigned(self, tensor: object, before: object) -> None:
        """Record the array that a Tensor had before it was assigned in place, unless the trace created one of them."""
        if not is_of_current_trace(before) and id(tensor) not in self._created:
            self.before.setdefault(id(tensor), (tensor, before))

    def note_escape(self, tensor: object) -> None:
        """Record that an attribute or a container was assigned a Tensor: it may outlive the trace."""
        self.escaping[id(tensor)] = tensor

    def restore(self, writes: dict[int, tuple[Any, Any]], outer: TensorWrites | None) -> None:
        """Give every Tensor the array it had before the trace; an assignment to one that is still in use becomes a write.

        Args:
            writes: Receives the Tensors that are still referenced, with the assigned values.
            outer: Those of the enclosing trace, which records the escaping Tensors as well.
        """
        escaping = set(self.escaping)
        for key in escaping:
            tensor = self.escaping.pop(key)
            self.before.setdefault(key, (tensor, tensor.concrete()))
        for key in list(self.before):
            tensor, before = self.before.pop(key)
            if sys.getrefcount(tensor) > 2:  # it is still referenced outside of the trace
                writes[key] = (tensor, tensor.concrete())
                tensor.commit(before)
                if key in escaping and outer is not None:
                    outer.note_escape(tensor)
