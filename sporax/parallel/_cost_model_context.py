"""Options of MindSpore's search for strategies."""

from sporax._src.compat.legacy.parallel import _set_multi_subgraphs, get_cost_model_context, set_cost_model_context

__all__ = [
    "_set_multi_subgraphs",
    "get_cost_model_context",
    "set_cost_model_context",
]
