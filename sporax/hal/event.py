"""Marks in time."""

from sporax._src.base.devices import Event

__all__ = [
    "Event",
]
