"""recompute."""

from sporax._src.transform.decorators import recompute

__all__ = [
    "recompute",
]
