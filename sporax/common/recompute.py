"""recompute."""

from sporax._src.transform.marks import recompute

__all__ = [
    "recompute",
]
