"""Seeds."""

from sporax._src.core.generator import get_seed, set_seed

__all__ = [
    "get_seed",
    "set_seed",
]
