"""The registries of a Cell, its children and Parameters by name; a write to one also sets the Cell's attribute."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import Any

from sporax._src.bindings.primitive import Primitive
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.state_dict import StateDict


class Registry(OrderedDict[str, Any]):
    """`cell._cells` or `cell._params`. Programs replace children through it: `net._cells["conv"] = wrapped`."""

    def __init__(self, cell: Any, entries: OrderedDict[str, Any] | None = None) -> None:
        self._cell = weakref.ref(cell)
        super().__init__()
        for name, value in (entries or {}).items():
            super().__setitem__(name, value)

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        cell = self._cell()
        if cell is not None and value is not None and cell.__dict__.get(name, value) is not value:
            cell._sporax_assign(name, value)

    def __delitem__(self, name: str) -> None:
        value = self[name]
        super().__delitem__(name)
        cell = self._cell()
        if cell is not None and value is not None and cell.__dict__.get(name) is value:
            del cell.__dict__[name]
            cell._sporax_invalidate(f"attribute '{name}' was deleted")

    def pop(self, name: str, *default: object) -> Any:
        """Remove a name, and return its value."""
        if name not in self and default:
            return default[0]
        value = self[name]
        del self[name]
        return value

    def clear(self) -> None:
        """Remove all names."""
        for name in list(self):
            del self[name]

    def __repr__(self) -> str:
        return repr(OrderedDict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return OrderedDict, (list(self.items()),)


def check_assignment(cell: Any, name: str, value: object) -> None:
    """Check that `value` may be assigned to an attribute of `cell` whose name may belong to a Parameter or a child."""
    if name in cell._cells:
        namesake, existing, kind = isinstance(value, Parameter), "Sub cell", "cell"
        like = isinstance(value, StateDict)
    elif name in cell._params:
        namesake, existing, kind = isinstance(value, StateDict), "Parameter", "parameter"
        like = isinstance(value, Tensor)
    else:
        return
    if namesake:
        what, new = ("param", "parameter") if kind == "cell" else ("child", "child cell")
        raise KeyError(
            f"For 'insert_{what}_to_cell', the {name} {new} already exists in the network."
            f"Cannot insert another {new} with the same name."
        )
    params = isinstance(value, (list, tuple)) and value and all(isinstance(v, Parameter) for v in value)
    if not (like or params or value is None or isinstance(value, Primitive)):
        raise TypeError(
            f"{existing} '{name}' already exists in network, can not assign this type: '{type(value)}' as a {kind}."
        )
