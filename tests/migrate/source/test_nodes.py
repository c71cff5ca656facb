"""The nodes of a tree are those of `ast.walk`, in its order, without contexts."""

import ast
import gc
from pathlib import Path

import pytest

from sporax._src.migrate.source import nodes

TEXT = Path(nodes.__file__).read_text(encoding="utf-8")


def expected(tree):
    return [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]


@pytest.mark.parametrize(
    "text", [TEXT, "match x:\n    case A(b=[1, *c]) | {'k': d, **e} if f: pass\n", "def f(*, a=1, b): global g\n"]
)
def test_nodes_are_those_of_ast_in_its_order(text):
    tree = nodes.parse(text)
    assert list(nodes.walk(tree)) == nodes.every(tree) == expected(tree)
    assert nodes.every(tree, ast.Name) == [node for node in expected(tree) if isinstance(node, ast.Name)]
    kinds = (ast.Name, ast.FunctionDef, ast.arg)
    assert nodes.every(tree, *kinds) == [node for node in expected(tree) if isinstance(node, kinds)]


def test_the_collector_runs_again_after_a_parse():
    with pytest.raises(SyntaxError, match=r"invalid syntax \(x\.py, line 1\)"):
        nodes.parse("a b", "x.py")
    assert gc.isenabled()
