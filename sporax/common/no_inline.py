"""no_inline."""

from sporax._src.transform.decorators import no_inline

__all__ = [
    "no_inline",
]
