"""jit."""

from sporax._src.transform.jit import jit

__all__ = [
    "jit",
]
