"""Derivatives of a network along directions, as Cells."""

from sporax._src.nn.grad import Jvp, Vjp
from sporax.nn.grad import cell_grad

__all__ = [
    "Jvp",
    "Vjp",
    "cell_grad",
]
