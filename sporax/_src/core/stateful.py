"""What the transforms know of Cells: the states they own, and whether they changed since a graph was built."""

from __future__ import annotations

from typing import Any


class Epoch:
    """Counts changes of Cells in this process: while it stands still, every graph is still valid."""

    now = 0


epoch = Epoch()


class Stateful:
    """The base of Cells, as far as the transforms see it."""

    def states(self) -> list[Any]:
        """Return the Parameters of the object and of everything it contains."""
        raise NotImplementedError

    def fingerprint(self) -> Any:
        """Return a value that is equal while a graph built with the object's attributes stays valid."""
        raise NotImplementedError

    def changed_since(self, fingerprint: Any) -> str:
        """Say what changed since `fingerprint` was taken; empty if nothing did."""
        return "" if self.fingerprint() == fingerprint else f"{type(self).__name__} changed"

    def path_to(self, other: Stateful) -> str:
        """Return the path of attributes (`layers/0/conv`) that leads to an object contained in this one, or empty."""
        return ""
