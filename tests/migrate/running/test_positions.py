"""Tracebacks and `inspect` of converted code show the lines of the source."""

import ast

from sporax._src.migrate.running.positions import move_to_source
from sporax._src.migrate.source.convert import convert

LOOP = (
    "import torch\nimport torch.nn.functional as F\n\n\ndef train(net, data, optimizer):\n    for x, y in data:\n"
    "        optimizer.zero_grad()\n        out = net(x)\n        loss = F.cross_entropy(out, y)\n        loss.backward()\n"
    "        optimizer.step()\n    last = 1 / 0\n    return last\n"
)


def moved(source: str) -> ast.Module:
    done = convert(source)
    tree = ast.parse(done.text)
    move_to_source(tree, done.text, source, done.lines)
    compile(tree, "program", "exec")
    return tree


def line_of(tree: ast.Module, text: str) -> int:
    """Return the line of the innermost node with a text."""
    return next(node.lineno for node in ast.walk(tree) if isinstance(node, ast.expr) and ast.unparse(node) == text)


def test_statements_keep_their_lines() -> None:
    tree = moved(LOOP)
    assert (line_of(tree, "1 / 0"), line_of(tree, "net(x)")) == (12, 8)
    assert next(node.lineno for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)) == 5


def test_an_unchanged_line_keeps_its_columns_and_a_changed_one_is_whole() -> None:
    tree = moved("import torch\nx = 1 + len([2])\ny = torch.cat([a], axis=0)\n")
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node) == "len([2])")
    assert (call.lineno, call.col_offset, call.end_col_offset) == (2, 8, 16)
    changed = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and "cat" in ast.unparse(node.func))
    assert (changed.lineno, changed.col_offset, changed.end_col_offset) == (3, 0, 26)


def test_every_line_is_one_of_the_source() -> None:
    tree = moved(LOOP)
    lines = {node.lineno for node in ast.walk(tree) if hasattr(node, "lineno")}
    assert lines <= set(range(1, LOOP.count("\n") + 1))


def test_statements_on_one_line() -> None:
    tree = moved("import torch\nfor x in y: a = torch.cat([x], axis=0); b = 1; c = a.view(-1)\nd = 1 / 0\n")
    assert line_of(tree, "1 / 0") == 3
