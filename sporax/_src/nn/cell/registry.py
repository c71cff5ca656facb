"""The registries of a Cell, its children and Parameters by name: what is written to one is the Cell's attribute as well."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import Any


class Registry(OrderedDict[str, Any]):
    """`cell._cells` or `cell._params`. Programs put other Cells in the place of children: `net._cells["conv"] = wrapped`."""

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

    def pop(self, name: str, *default: Any) -> Any:  # type: ignore[override]
        """Remove a name, and return what it stood for."""
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
