"""Seeds."""

from sporax._src.core.generator import _get_graph_seed, get_seed, set_seed

__all__ = [
    "_get_graph_seed",
    "get_seed",
    "set_seed",
]
