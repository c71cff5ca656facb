"""What statements read, assign and call."""

import ast

import pytest
from converted_text import body

from sporax._src.migrate.source.dataflow import (
    access_path,
    assigned,
    is_truth,
    leaves,
    makes_empty_vector,
    makes_leaf,
    method_call,
    read_first,
    reads,
    stored,
    unstopped,
    written_into,
)


def test_parameters_of_a_forward_that_are_known_otherwise():
    text = "class Net(nn.Module):\n    def forward(self, x, flag=False, kind: Kind = None):\n        return x, ~flag, ~kind\n"
    assert "return x, ~flag, ~kind" in body(text)


def block(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def test_assigned_names_leave_out_those_of_comprehensions_and_functions() -> None:
    assert assigned(block("a, b = 1, 2\nc = [d for d in e]\nif e:\n    def f():\n        g = 1\nfor h in i:\n    a += 1\n")) == [
        "a", "b", "c", "h"
    ]  # fmt: skip
    assert stored(block("self.x = y\nz.w.v = 1\nu[0] = 1\n")) == {"self.x", "z.w.v"}


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("f(x)", True),
        ("x = 1", False),
        ("[x for x in y]", False),
        ("[y for y in x]", True),
        ("lambda x: x", False),
        ("lambda y=x: y", True),
        ("x.y", True),
        ("a.x", False),
    ],
)
def test_what_reads_a_name(text: str, is_read: bool) -> None:
    assert reads(block(text)[0], "x") is is_read


def test_an_attribute_is_read_by_its_whole_path() -> None:
    assert reads(block("f(self.fake)")[0], "self.fake") and not reads(block("self.fake = 1")[0], "self.fake")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x\nx = 1\n", True),
        ("x = 1\ny = x\n", False),
        ("x += 1\n", True),
        ("if a:\n    x = 1\ny = x\n", True),
        ("if a:\n    x = 1\nelse:\n    x = 2\ny = x\n", False),
        ("for x in a:\n    pass\ny = x\n", False),
        ("for i in a:\n    x = 1\ny = x\n", True),
        ("with a as x:\n    pass\ny = x\n", False),
        ("try:\n    x = 1\nexcept E:\n    pass\ny = x\n", True),
        ("try:\n    x = 1\nexcept E:\n    x = 2\ny = x\n", False),
    ],
)
def test_a_name_that_may_be_read_before_it_is_assigned(text: str, expected: bool) -> None:
    assert read_first(block(text), "x") is expected


def test_names_of_tensors_that_gradients_are_taken_for() -> None:
    text = (
        "a = torch.ones(2, requires_grad=True)\nb = torch.ones(2).requires_grad_()\nc.requires_grad_(False)\n"
        "d.requires_grad = True\ne = nn.Parameter(x, requires_grad=True)\nf.requires_grad_()\n"
        "def g():\n    h = torch.ones(2, requires_grad=True)\n"
    )
    assert leaves(ast.parse(text)) == ["a", "b", "d", "f"]
    assert [makes_leaf(s) for s in block(text)[:4]] == [True, True, False, False]


def test_paths_calls_and_writes() -> None:
    (statement,) = block("self.a.b.append(x[0])")
    call = method_call(statement.value, "append")
    assert access_path(call.owner) == "self.a.b" and access_path(call.args[0]) == ""
    assert method_call(statement.value, "extend") is None
    assert [*written_into(statement.value)] == ["self.a.b"]
    found = [
        name for s in block("x[0] = 1\ny += 1\nz.add_(1)\n_f.g(1)\n") for n in ast.walk(s) for name in written_into(n)
    ]
    assert found == ["x", "y", "z"]


def test_gradients_stop_at_what_is_detached() -> None:
    (statement,) = block("f(x, y.detach(), z.item())")
    assert {n.id for n in unstopped(statement) if isinstance(n, ast.Name)} == {"f", "x"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.tensor([])", True), ("torch.Tensor()", True), ("torch.empty(0)", True), ("x.new_zeros((0,))", True),
        ("torch.empty(0, 2)", True), ("torch.ones(2)", False), ("torch.tensor([1])", False),
    ],
)  # fmt: skip
def test_a_file_that_makes_empty_vectors(text: str, expected: bool) -> None:
    assert makes_empty_vector(ast.parse(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"), [("a > b", True), ("~(a == b) | c", True), ("x.isnan()", True), ("x.sum()", False)]
)
def test_truth_values(text: str, expected: bool) -> None:
    assert is_truth(ast.parse(text, mode="eval").body) is expected
