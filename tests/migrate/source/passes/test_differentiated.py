"""The function that a gradient is taken of: its definition, and the call that differentiates it."""

import ast

import pytest

from sporax._src.migrate.source.passes.differentiated import Function, Region

PLAIN = Function("forward_fn", ["x", "y"], [], [], "", "opt.parameters", ["loss"])


def test_the_body_is_what_lies_before_the_ends_and_not_apart() -> None:
    block = ast.parse("a\nb\nc\nd\nbackward\nf").body
    region = Region(block, 1, [3, 4], [2])
    assert [ast.unparse(statement) for statement in region.body] == ["b"]


def test_a_definition() -> None:
    assert PLAIN.definition("  ", "    ", "      loss = x\n") == (
        "  def forward_fn(x, y):\n      loss = x\n      return loss\n"
    )


def test_data_are_taken_and_names_of_the_scope_around_declared() -> None:
    function = Function("f", ["x"], ["self.real"], [], "nonlocal state", "", ["loss", "state"])
    assert function.definition("", "    ", "    state = x\n") == (
        "def f(x, *_):\n    nonlocal state\n    state = x\n    return loss, state\n"
    )
    assert function.gradient("grad") == "grad(f, None, None, has_aux=True)(x, self.real)"


@pytest.mark.parametrize(
    ("leaves", "expected"),
    [
        ([], "grad(forward_fn, None, opt.parameters)(x, y)"),
        (["y"], "grad(forward_fn, 1, opt.parameters)(x, y)"),
        (["x", "y"], "grad(forward_fn, (0, 1), opt.parameters)(x, y)"),
    ],
)
def test_the_gradient_is_taken_for_leaves_and_weights(leaves: list[str], expected: str) -> None:
    function = Function(PLAIN.name, PLAIN.inputs, PLAIN.data, leaves, PLAIN.outer, PLAIN.weights, PLAIN.results)
    assert function.gradient("grad") == expected
