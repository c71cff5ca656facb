"""The interface of Cells that transforms use: the states they own, and whether they changed since a graph was built."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any


class GraphVersion:
    """The version of all Cells of this process: as long as it does not change, every graph stays valid."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.now = 0

    def advance(self) -> None:
        """Record a change on which graphs depend."""
        self.now = next(self._numbers)  # a number is never used twice, whatever other threads do


graph_version = GraphVersion()


class Stateful:
    """The base class of Cells: the interface for transforms."""

    # What a Cell defines.
    __call__: Callable[..., Any]
    construct: Callable[..., Any]
    get_parameters: Callable[..., Iterator[Any]]
    trainable_params: Callable[..., list[Any]]

    _sporax_version = 0
    _sporax_last_change = ""

    def _sporax_quietly(self, name: str, value: object) -> None:
        """Set an internal attribute: nothing is registered, and graphs stay valid."""
        object.__setattr__(self, name, value)

    def _sporax_invalidate(self, why: str) -> None:
        """Record a change that invalidates the graphs built with the object."""
        self._sporax_quietly("_sporax_version", self._sporax_version + 1)
        self._sporax_quietly("_sporax_last_change", why)
        graph_version.advance()

    def _sporax_states(self) -> list[Any]:
        """Return the Parameters of the object and of everything it contains."""
        raise NotImplementedError

    def _sporax_fingerprint(self) -> Any:
        """Return a value that is equal while a graph built with the object's attributes stays valid."""
        raise NotImplementedError

    def _sporax_changed_since(self, fingerprint: object) -> str:
        """Describe what changed since `fingerprint` was computed; empty if nothing did."""
        return "" if self._sporax_fingerprint() == fingerprint else f"{type(self).__name__} changed"

    def _sporax_path_to(self, other: Stateful) -> str:
        """Return the path of attributes (`layers.0.conv`) that leads to an object contained in this one, or empty."""
        return ""
