"""Operators of layers that programs mark. In one process a strategy cuts nothing.

Runs that are cut are in `transform/parallel/test_spmd_graph.py`.
"""

from sporax import Tensor, nn
from sporax._src.nn.parallel.marked_operators import cut_as, is_marked


def test_a_strategy_counts_only_where_devices_are_set() -> None:
    layer = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    assert not is_marked(layer, "matmul")
    layer.matmul.shard(((1, 1), (1, 1)))
    assert not is_marked(layer, "matmul", "bias_add")
    assert layer(Tensor([[1.0, 2.0]])).item() == 3


def test_what_is_not_cut_is_called() -> None:
    calls = []
    assert cut_as(nn.Dense(2, 1), "matmul", lambda *args: calls.append(args) or 7, 1, 2) == 7 and calls == [(1, 2)]
