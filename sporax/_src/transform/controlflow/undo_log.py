"""A log that records and undoes the changes that Python code makes to attributes, lists, dicts and sets."""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Iterable
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from sporax._src.core.execution import current, following
from sporax._src.transform.functional import split


class Absent:
    """Stands for a variable, attribute or item that has no value on this path."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Absent)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "no value"


class Slot:
    """A location of a value: an attribute of an object, or the content of a list, dict or set.

    Args:
        owner: The object or the container.
        name: The name of the attribute; None for a container.

    Attributes:
        is_of_new: Whether the code that first changed it created the owner, so that no other path sees it.
    """

    __slots__ = ("is_of_new", "key", "name", "owner")

    def __init__(self, owner: Any, name: str | None = None) -> None:
        self.owner, self.name, self.is_of_new = owner, name, False
        self.key = (id(owner), name)

    def get(self) -> Any:
        """Return the value; of a container, a copy."""
        if self.name is None:
            return type(self.owner)(self.owner) if type(self.owner) in CONTAINERS else self.owner.copy()
        if hasattr(self.owner, "__dict__"):
            return vars(self.owner).get(self.name, Absent())
        try:
            value = getattr(self.owner, self.name, Absent())
        except ValueError:  # an unbound variable of an enclosing function
            return Absent()
        return Absent() if type(value).__name__ == "Undefined" else value  # AutoGraph's

    def put(self, value: Any) -> None:
        """Replace the value."""
        if self.name is None:
            self._refill(value)
        elif isinstance(value, Absent):
            if not isinstance(self.get(), Absent):
                object.__delattr__(self.owner, self.name)
        elif hasattr(self.owner, "__dict__"):
            vars(self.owner)[self.name] = value
        else:
            object.__setattr__(self.owner, self.name, value)

    def _refill(self, value: Any) -> None:
        if isinstance(self.owner, list):
            self.owner[:] = value
        else:
            self.owner.clear()
            self.owner.update(value)

    def __str__(self) -> str:
        if isinstance(self.owner, CellType):
            return "a variable of an enclosing function"
        if isinstance(self.owner, ModuleType):
            return f"global variable '{self.name}'"
        kind = type(self.owner).__name__
        return f"a {kind}" if self.name is None else f"attribute '{self.name}' of a {kind}"


CONTAINERS = (list, dict, set)


class UndoLog:
    """Records the old value of every slot that is changed while it is open.

    Args:
        slots: Slots to record from the beginning.

    Attributes:
        slots: The recorded slots, in the order of their first change.
        created: The objects created while it is open, by `id`.
    """

    def __init__(self, slots: Iterable[Slot] = ()) -> None:
        self.slots: list[Slot] = []
        self.created: dict[int, Any] = {}
        self._before: dict[Any, Any] = {}
        for slot in slots:
            self.note(slot)

    def note(self, slot: Slot) -> None:
        """Record the value of a slot that is about to change."""
        if slot.key not in self._before:
            slot.is_of_new = slot.is_of_new or id(slot.owner) in self.created
            self.slots.append(slot)
            self._before[slot.key] = slot.get()

    def undo(self) -> None:
        """Restore the old value of every slot."""
        for slot in self.slots:
            slot.put(self._before[slot.key])

    def __enter__(self) -> UndoLog:
        self._outer = current.get().python.undo_log
        self._running = following(undo_log=self)
        self._running.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.__exit__()
        if self._outer is not None:
            self._outer.created |= self.created
        self.undo()


def changes(owner: object, name: str | None = None) -> None:
    """Record that an attribute of an object, or the content of a container, is about to change."""
    undo_log = current.get().python.undo_log
    if undo_log is not None:
        undo_log.note(Slot(owner, name))


def calls(fn: FunctionType) -> None:
    """Record the outer and global variables that a function is about to assign."""
    undo_log = current.get().python.undo_log
    if undo_log is None:
        return
    for slot in outer_names(fn):
        undo_log.note(slot)


def outer_names(fn: FunctionType) -> list[Slot]:
    """Return the variables of enclosing functions, and the global ones, that a function assigns."""
    free, of_module = _assigned(fn.__code__)
    cells = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    slots = [Slot(cell, "cell_contents") for name, cell in cells if name in free]
    module = sys.modules.get(fn.__globals__.get("__name__", ""))
    if of_module and getattr(module, "__dict__", None) is fn.__globals__:
        slots += [Slot(module, name) for name in sorted(of_module)]
    return slots


@functools.cache
def _assigned(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the variables of enclosing functions, and the global ones, that code or a function within it assigns."""
    stores = [(i.opname.partition("_"), i.argval) for i in dis.get_instructions(code)]
    stores = [(kind, name) for (does, _, kind), name in stores if does in ("STORE", "DELETE")]
    free = {name for kind, name in stores if kind == "DEREF"}
    of_module = {name for kind, name in stores if kind == "GLOBAL"}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            more_free, more_of_module = _assigned(inner)
            free |= more_free
            of_module |= more_of_module
    return frozenset(free.intersection(code.co_freevars)), frozenset(of_module)


def makes(value: object) -> None:
    """Record that an object was created."""
    undo_log = current.get().python.undo_log
    if undo_log is not None:
        undo_log.created[id(value)] = value


def assigns(owner: object, name: str | None, value: object) -> None:
    """Record that an attribute, or the content of a container, is about to become `value`."""
    changes(owner, name)
    scope = current.get().scope
    if scope is not None:
        for tensor in split(value)[0]:
            scope.tensors.note_escape(tensor)
