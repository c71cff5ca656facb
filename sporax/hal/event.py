"""Marks in time."""

from sporax._src.runtime.devices import Event

__all__ = [
    "Event",
]
