"""What a right side of the map names, and whether it takes what the left takes."""

import ast

import pytest

from sporax._src.migrate.torch_map.expressions import bare, created_class, dotted, is_literal, is_same_call, same_call
from sporax._src.migrate.torch_map.rows import Row, _row


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def row(text: str) -> Row:
    return _row(text, [])


@pytest.mark.parametrize(("text", "name"), [("a", "a"), ("a.b.c", "a.b.c"), ("a().b", ""), ("a[0].b", ""), ("1", "")])
def test_dotted_names(text: str, name: str) -> None:
    assert dotted(expression(text)) == name


@pytest.mark.parametrize(("text", "name"), [("a", "a"), ("+a", "a"), ("-a", ""), ("a.b", ""), ("a + 1", "")])
def test_parameters_that_are_passed_on(text: str, name: str) -> None:
    assert bare(expression(text)) == name
    assert bare(expression("f(*a)").args[0]) == "a"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mint.nn.Linear(a)", "mint.nn.Linear"),
        ("_RReLU(a)", "_RReLU"),
        ("mint.cat(a)", ""),
        ("Function(a)", ""),
        ("mint.nn.Linear", ""),
    ],
)
def test_classes_whose_objects_are_made(text: str, name: str) -> None:
    assert created_class(expression(text)) == name


def test_literals_are_told_from_kinds() -> None:
    assert all(map(is_literal, ("'same'", "int | 'same'", "-1", "True", "0")))
    assert not any(map(is_literal, ("int", "torch.Tensor | tuple")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.f(input, dim=0) -> mint.f(input, dim)", True),
        ("torch.f(input, dim=0) -> mint.f(input, dim=dim)", True),
        ("torch.f(input, dim=0) -> mint.f(input, axis=dim)", False),
        ("torch.f(input, dim=0) -> mint.f(input, +dim)", False),
        ("torch.f(input, dim=0) -> mint.f(dim, input)", False),
        ("torch.f(input, dim=0) -> mint.f(input)", True),
        ("torch.f(input, dim) -> mint.f(input)", False),
        ("torch.f(input, dim=0, *, out=None) -> mint.f(input, dim)", True),
        ("torch.f(input, *, dtype=None) -> mint.f(input)", True),
        ("torch.f(input, device=None) -> mint.f(input)", True),
        ("torch.f(input, dim=0) -> mint.f(input, dim, 1)", False),
        ("torch.f(input: int) -> mint.f(input)", False),
        ("torch.f(input) -> self.f", False),
    ],
)
def test_whether_names_may_stand_for_each_other(text: str, expected: bool) -> None:
    assert is_same_call(row(text).expression("mint"), row(text)) is expected


def test_the_fullest_call_stands_for_the_name() -> None:
    rows = [row(f"torch.f(a, b=0) -> {target}") for target in ("mint.f(a)", "mint.g(a, b)", "mint.h(b, a)")]
    assert ast.unparse(same_call(rows, "mint")) == "mint.g(a, b)"
    assert same_call(rows[2:], "mint") is None
