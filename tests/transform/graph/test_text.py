"""Captured graphs as text: operators, Cells, lines, and names of arguments."""

import re

from block_net import Net, X, line_of, rows

import sporax as ms


def test_captured_graph_names_operators_cells_and_lines() -> None:
    """Rewritten control flow too has the lines of the program, and each Cell its path."""
    graph = Net().graph(X)
    dense = rows(graph.captured, "dot_general")
    assert [d.split("# ")[1] for d in dense] == [
        f"ops.dense  Net.blocks.{i}.fc  {line_of('the dense layer')}" for i in (0, 1)
    ]
    assert all(f"ops.tanh  Net.blocks.{i}  {line_of('in the branch')}" in graph.captured for i in (0, 1))
    (log,) = rows(graph.captured, "log")
    assert log.endswith(f"# ops.log  Net  {line_of('the end')}")
    assert "float32[2, 4] = dot_general(x: float32[2, 4], " in graph.captured
    assert "\nblocks.0.fc.weight: float32[4, 4]\n" in graph.captured
    assert "autograph" not in graph.captured and "sporax/_src" not in graph.captured
    assert str(graph) == graph.captured


def test_every_value_is_defined_before_it_is_used() -> None:
    """Names of values are the same in a graph and in the graphs inside it."""
    text = ms.jit(ms.grad(lambda x: Net()(x)), fullgraph=True).graph(X).captured
    known = set()
    for line in text.splitlines():
        left, _, right = line.split("  #")[0].partition(" = ")
        if line.strip().endswith(":"):
            continue
        assert set(re.findall(r"%\d+", right or left)) <= known, line
        known |= set(re.findall(r"%\d+", left)) if right else set()
    assert len(known) > 20


def test_arguments_have_the_names_of_the_function() -> None:
    """Nested arguments have the path that leads to them."""
    graph = ms.jit(lambda x, pair, *rest, **named: x + pair[1] + rest[0] + named["k"]).graph(X, (1, X), X, k=X)
    assert graph.inputs[1:] == ["x", "pair[1]", "rest[0]", "k"]
