"""Options of MindSpore's search for strategies, as `mindspore.parallel._cost_model_context` sets them.

mindformers and `models` (`official/nlp/Pangu_alpha`) set them.
"""

from __future__ import annotations

from sporax._src.base.settings import strategy_search


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Keep an option of MindSpore's search for strategies."""
    strategy_search.set_cost_model_context(multi_subgraphs=multi_subgraph)


def _set_rp_matmul_mem_coef(coef: float) -> None:
    """Keep an option of MindSpore's search for strategies."""
    strategy_search.set_cost_model_context(rp_matmul_mem_coef=float(coef))
