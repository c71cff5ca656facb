"""no_inline."""

from sporax._src.transform.marks import no_inline

__all__ = [
    "no_inline",
]
