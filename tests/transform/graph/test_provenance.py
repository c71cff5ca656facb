"""Where an operation comes from: Cells, lines and scopes, which change nothing."""

import re

from block_net import Net, X

import sporax as ms
from sporax import nn
from sporax._src.transform.graph.provenance import source_now


def test_names_cost_nothing_outside_of_traces() -> None:
    """PyNative mode opens no scopes."""
    seen = []
    cell = nn.Dense(4, 4)
    cell.register_forward_hook(lambda *_: seen.append(source_now()))
    cell(X)
    assert seen[0].cells == "Dense" and seen[0].line.startswith(__file__)


def test_scopes_do_not_change_what_is_compiled() -> None:
    """The path of a Cell is a note on the graph: equal networks under different names share the compiled program."""

    class Other(Net):
        pass

    assert "Other.blocks.0.fc" in Other().graph(X).captured
    first, second = ms.jit(lambda x: Net()(x)), ms.jit(lambda x: Other()(x))
    texts = [re.sub(r'"[^"]*"', "", fn.graph(X).stablehlo.replace("_lambda_", "")) for fn in (first, second)]
    assert texts[0].count("dot_general") == texts[1].count("dot_general") == 2
