"""Outer values that a function changes: attributes and Tensors become inputs and outputs of its graph.

Parameters and random state are always states (see `core.scope`). This module handles values that become states because a
function assigns them: an attribute of a Cell or another object, or a Tensor assigned in place. The trace detects the change. The
function is then traced again with the old value as an input, and every run of the graph stores the new value.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any
from weakref import ref

from sporax._src.base.jax_compat import is_tracer
from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.execution import current
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import Scope, traceable
from sporax._src.core.stateful import Stateful
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.core.views import make_stale, root_of
from sporax._src.transform.controlflow.failures import NeedsValue, leaving_errors_to_the_run
from sporax._src.transform.controlflow.numbers import ComputedNumber
from sporax._src.transform.controlflow.rewrite import is_of_program
from sporax._src.transform.controlflow.strings import printing_in_order, traced_in
from sporax._src.transform.controlflow.undo_log import CONTAINERS, Absent, Slot, outer_names
from sporax._src.transform.functional import is_operand

_MANY = 1024  # longer lists are data and are not searched for states
_OF_CELLS = (
    "_params",
    "_sporax_buffer_names",
    "_mindspore_flags",
    "_sporax_hooks",
    "_compiled",
    "_sporax_version",
    "_sporax_last_change",
    "_varying",
)


class TensorSlot(Slot):
    """A slot whose value is the array of a Tensor."""

    __slots__ = ()

    def get(self) -> Any:
        """Return the Tensor."""
        return self.owner

    def put(self, value: Tensor) -> None:
        """Replace the array of the Tensor."""
        self.owner.commit(value._data)


def _flattened(value: object) -> tuple[list[Tensor], Any]:
    leaves: list[Tensor] = []
    return leaves, tree.flatten(value, is_operand, leaves)


class OuterArray:
    """One array of a slot's value, as a state of the graph.

    Args:
        outer: The slot, with the structure of its value.
        index: The index of the array in the flattened value.
    """

    is_consumed = False  # an attribute keeps its value during a run: the program must not read it from other threads

    def __init__(self, outer: Outer, index: int) -> None:
        self._outer, self._index = outer, index

    @property
    def name(self) -> str:
        """The name in error messages."""
        return str(self._outer.slot)

    @property
    def _value(self) -> Any:
        return _flattened(self._outer.slot.get())[0][self._index]._data

    def concrete(self) -> Any:
        """Return the concrete array, outside any trace."""
        return self._value

    def commit(self, value: Array) -> None:
        """Set the array to one that a run computed."""
        self._outer.take(self._index, value)

    def adopt(self, value: Array) -> None:
        """Set the array within the running trace."""
        self.commit(value)


class Outer:
    """A slot that a graph reads or changes.

    Args:
        slot: The slot.
        value: The value in it before the call.
    """

    def __init__(self, slot: Slot, value: object) -> None:
        self.slot = slot
        leaves, self.structure = _flattened(value)
        self._avals = [(t._data.shape, t._data.dtype) for t in leaves]
        self.inputs = [OuterArray(self, i) for i in range(len(leaves))]
        self.outputs: list[OuterArray] = []
        self._after: Any = None
        self._arrived: dict[int, Any] = {}

    def fits(self) -> bool:
        """Return whether the value in the slot has the structure, shapes and dtypes that the graph was built for."""
        leaves, structure = _flattened(self.slot.get())
        return structure == self.structure and [(t._data.shape, t._data.dtype) for t in leaves] == self._avals

    def becomes(self, structure: tree.Structure, count: int) -> list[OuterArray]:
        """Return the outputs for a new value of `count` arrays; a value without arrays has one output as a flag."""
        if self._after != structure:
            self._after = structure
            same = structure == self.structure and count
            self.outputs = self.inputs if same else [OuterArray(self, i) for i in range(max(count, 1))]
        return self.outputs

    def take(self, index: int, value: Array) -> None:
        """Receive one array; after the last one, put the value into the slot."""
        self._arrived[index] = value
        if len(self._arrived) == len(self.outputs):
            self.slot.put(tree.unflatten(self._after, iter([wrap(self._arrived[i]) for i in sorted(self._arrived)])))
            self._arrived = {}


class CapturedState:
    """The slots that a function changes, found while it is traced.

    Args:
        fn: The function.
        arguments: The structure of its arguments.
    """

    def __init__(self, fn: Callable[..., Any], arguments: tree.Structure) -> None:
        self._fn, self._arguments = fn, arguments
        self.outers: dict[Any, Outer] = {}
        self._views: list[ref[Tensor]] = []  # of Parameters, which a run reads from its inputs
        self.parameter: Parameter | None = None  # the result of the last run if it is a Parameter

    def fit(self) -> bool:
        """Return whether the graph is valid for the function's current surroundings."""
        views = (view() for view in self._views)
        if any(view is not None and view._view is None for view in views):  # its Parameter has other memory now
            return False
        return not self.outers or all(outer.fits() for outer in self.outers.values())

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function in a trace, then restore everything around it."""
        scope = current.get().scope
        assert scope is not None
        changed: dict[Any, tuple[Slot, Any, Any]] = {}
        with printing_in_order():
            objects, slots, viewed = _reached(self._fn, self._arguments)
            for root in map(root_of, viewed):
                make_stale(root)  # its views are read from the graph's inputs
            self._views = [ref(view) for view in viewed]
            for cell in (o for o in objects if isinstance(o, Stateful)):
                scope.note_cell(cell)  # its attributes may be read even if it is not called
            snapshot = [(o, dict(vars(o))) for o in objects], [(s, s.get()) for s in slots]
            try:
                self._supply(scope)
                out = leaving_errors_to_the_run(traceable(self._fn))(*args, **kwargs)
                self.parameter = out if isinstance(out, Parameter) else None
                out = _detached(out)
            finally:
                for slot, before in list(_changes(*snapshot)):
                    changed[slot.key] = slot, before, slot.get()
                    slot.put(before)
                tensors = self._put_back(scope)
        for slot, before, after in changed.values():
            self._account(scope, slot, before, after)
        for slot, array in tensors:
            self._account_tensor(scope, slot, array)
        self._account_varying(scope, objects, changed)
        return out

    def _supply(self, scope: Scope) -> None:
        for outer in self.outers.values():
            values = [wrap(scope.read(array)) for array in outer.inputs]
            if isinstance(outer.slot, TensorSlot):
                outer.slot.owner._rebind(values[0])
            elif values:
                outer.slot.put(tree.unflatten(outer.structure, iter(values)))

    def _put_back(self, scope: Scope) -> list[tuple[TensorSlot, Any]]:
        """Restore the arrays of outer Tensors; return the Tensors assigned in place and their new arrays."""
        assigned = []
        for key, (tensor, before) in list(scope.tensors.before.items()):
            if not is_tracer(before):
                assigned.append((TensorSlot(tensor), tensor._data))
                tensor.commit(before)
                del scope.tensors.before[key]
        return assigned

    def _outer(self, slot: Slot, before: object) -> Outer:
        if slot.key not in self.outers:
            self.outers[slot.key] = Outer(slot, before)
        return self.outers[slot.key]

    def _account_tensor(self, scope: Scope, slot: TensorSlot, array: Array) -> None:
        outer = self._outer(slot, slot.owner)
        for state in outer.inputs:
            scope.read(state)
        for state in outer.becomes(outer.structure, 1):
            scope.write(state, array)

    def _account(self, scope: Scope, slot: Slot, before: object, after: object) -> None:
        leaves, structure = _flattened(after)
        known = slot.key in self.outers
        old, form = _flattened(before)
        if _is_created_once(before, after):
            slot.put(after)
            return
        if structure != form:
            _check_change(slot, form, structure)
        elif not known and all(a is b for a, b in zip(leaves, old, strict=True)):
            return
        outer = self._outer(slot, before)
        for state in outer.inputs:
            scope.read(state)
        outputs = outer.becomes(structure, len(leaves))
        for state, value in zip(outputs, [t._data for t in leaves] or [0], strict=True):
            scope.write(state, value)
        if leaves and isinstance(slot.owner, Stateful):
            _vary(slot)

    def _account_varying(self, scope: Scope, objects: list[Any], changed: dict[Any, Any]) -> None:
        """Make the attributes that other graphs change inputs of this graph."""
        for cell in objects:
            for name in vars(cell).get("_varying", ()):
                slot = Slot(cell, name)
                if slot.key not in changed and _flattened(slot.get())[0]:
                    for state in self._outer(slot, slot.get()).inputs:
                        scope.read(state)


def _vary(slot: Slot) -> None:
    """Mark an attribute of a Cell as changed by a graph: graphs in which its value is a constant become invalid."""
    attributes = vars(slot.owner)
    if slot.name not in attributes.get("_varying", ()):
        attributes["_varying"] = {*attributes.get("_varying", ()), slot.name}
        slot.owner._sporax_invalidate(f"attribute '{slot.name}' is changed by a graph")


def _check_change(slot: Slot, before: tree.Structure, after: tree.Structure) -> None:
    """Raise unless every run of a graph can make this change."""
    if _has_number(after):
        raise NeedsValue(f"{slot} is assigned a number that the graph computes")
    if slot.name is None:
        raise NeedsValue(f"{slot} outside of the function is changed")
    if isinstance(after, tree.Static) and isinstance(before, tree.Static) and type(before.value) in (int, float):
        raise NeedsValue(f"{slot} changes from {before!r} to {after!r} at each call")
    if not _is_constant(after):
        raise NeedsValue(f"{slot} is assigned {after!r}")


def _has_number(structure: tree.Structure) -> bool:
    if isinstance(structure, tree.Branch):
        return any(map(_has_number, structure.children))
    return isinstance(structure, tree.Leaf) and issubclass(structure.kind, ComputedNumber)


def _is_created_once(before: object, after: object) -> bool:
    """Return whether the function creates an object once, such as a table, for an attribute that had no value."""
    if before is not None and not isinstance(before, Absent):
        return False
    if isinstance(after, (Tensor, Stateful, Absent, *CONTAINERS, tuple)) or after is None:
        return False
    return not traced_in(getattr(after, "__dict__", {}))


def _is_constant(structure: tree.Structure) -> bool:
    if isinstance(structure, tree.Branch):
        return all(map(_is_constant, structure.children))
    return isinstance(structure, tree.Leaf) or isinstance(structure.value, (type(None), bool, int, float, str, Absent))


def _detached(value: object) -> Any:
    """Return a result that shares no containers and Tensors with code outside the function."""
    return tree.map_leaves(lambda t: t if isinstance(t, ComputedNumber) else wrap(t._data), value, is_operand)


def _changes(objects: list[tuple[Any, dict[str, Any]]], slots: list[tuple[Slot, Any]]) -> Iterator[tuple[Slot, Any]]:
    """Yield the slots that have changed, each with the value it had."""
    for owner, before in objects:
        now = vars(owner)
        for name in (n for n in {**before, **now} if n not in _OF_CELLS):
            if before.get(name, Absent) is not now.get(name, Absent):
                yield Slot(owner, name), before.get(name, Absent())
    for slot, before in slots:
        if not (_same_content(before, slot.owner) if slot.name is None else _same(before, slot.get())):
            yield slot, before


def _same(before: object, now: object) -> bool:
    return before is now or (isinstance(before, Absent) and isinstance(now, Absent))


def _same_content(before: object, now: Any) -> bool:
    if isinstance(before, dict):
        return list(before) == list(now) and all(before[k] is now[k] for k in before)
    if isinstance(before, list):
        return len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True))
    return before == now


def _reached(fn: object, arguments: tree.Structure) -> tuple[list[Any], list[Slot], list[Tensor]]:
    """Return the objects, the containers and variables, and the views of Parameters that a function can reach.

    It reaches them through its arguments, closure, globals and `self`.
    """
    seen: dict[int, Any] = {id(vars(builtins)): None}
    objects: list[Any] = []
    slots: list[Slot] = []
    viewed: list[Tensor] = []
    waiting: list[Any] = [fn, arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Tensor) and value._view is not None and isinstance(root_of(value), Parameter):
            viewed.append(value)
        if id(value) in seen or isinstance(value, (str, bytes, int, float, type(None), type, Tensor)):
            continue
        seen[id(value)] = value
        if isinstance(value, tree.Branch):
            waiting += value.children
        elif isinstance(value, tree.Static):
            waiting.append(value.value)
        elif isinstance(value, (FunctionType, MethodType, functools.partial)):
            waiting += _of_function(value)
            if isinstance(value, FunctionType) and is_of_program(value.__globals__.get("__name__", "")):
                slots += outer_names(value)
        elif isinstance(value, (list, dict, set, tuple)):
            if len(value) <= _MANY:
                if type(value) in CONTAINERS:
                    slots.append(Slot(value))
                waiting += value.values() if isinstance(value, dict) else value
        elif isinstance(value, Stateful):
            if is_of_program(_module_of(value)):
                objects.append(value)
            waiting += [v for n, v in vars(value).items() if n not in _OF_CELLS and n != "_cells"]
            waiting += [*vars(value).get("_cells", {}).values(), getattr(type(value), "construct", None)]
        elif hasattr(value, "reaches") or hasattr(value, "fn"):
            waiting += [*getattr(value, "reaches", ()), getattr(value, "fn", None)]
        elif hasattr(value, "__dict__") and is_of_program(_module_of(value)):
            objects.append(value)
            waiting += vars(value).values()
    return objects, slots, viewed


def _module_of(value: object) -> str:
    """Return the module of an object's class; a class that `exec` created in a nameless namespace has none."""
    return getattr(type(value), "__module__", "")


def _of_function(fn: FunctionType | MethodType | functools.partial) -> list[Any]:
    if isinstance(fn, MethodType):
        return [fn.__self__, fn.__func__]
    if isinstance(fn, functools.partial):
        return [fn.func, *fn.args, *fn.keywords.values()]
    reached = list(getattr(fn, "reaches", ()))
    for cell in fn.__closure__ or ():
        try:
            reached.append(cell.cell_contents)
        except ValueError:  # a name of the enclosing function that is not bound yet
            continue
    if is_of_program(fn.__globals__.get("__name__", "")):
        reached += [fn.__globals__[n] for n in fn.__code__.co_names if n in fn.__globals__]
    return reached
