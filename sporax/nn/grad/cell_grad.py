"""Derivatives of a network along directions, as Cells."""

from sporax._src.nn.grad import Jvp, Vjp

__all__ = [
    "Jvp",
    "Vjp",
]
