"""What the passes over one file share."""

import pytest
from conversion_contexts import context_of
from converted_programs import assert_same_answers

from sporax._src.migrate.source.context import Role
from sporax._src.migrate.torch_map.rows import table


def test_a_role_holds_while_names_are_read() -> None:
    context = context_of("x = 1\n")
    with pytest.raises(KeyError), context.reading(Role.BASE_CLASS):
        with context.reading(Role.ANNOTATION):
            assert context.role is Role.ANNOTATION
        assert context.role is Role.BASE_CLASS
        raise KeyError
    assert context.role is Role.VALUE


def test_kinds_are_those_of_visited_expressions() -> None:
    context = context_of("x = y\n")
    value = context.source.tree.body[0].value
    assert (context.kind_of(value), context.kinds_of(value)) == ("", [])
    context._kinds[id(value)] = "torch.nn.Linear"
    assert context.kinds_of(value) == ["torch.nn.Linear", "torch.nn.Module"]


def test_what_is_refused_stands_above_its_statement() -> None:
    context = context_of("if a:\n    x = f(\n        y)\n")
    (test,) = context.source.tree.body
    (statement,) = test.body
    context.position.statements.append(statement)
    context.refuse(statement.value.args[0], "because")
    assert context.diagnostics.result.todo == [(3, "because")]
    context.diagnostics.write_comments(context.edits)
    assert context.source.edited(context.edits) == ("if a:\n    # TODO(sporax): because\n    x = f(\n        y)\n")


def test_uses_of_rows_are_counted() -> None:
    context = context_of("a\nb\n")
    for statement in context.source.tree.body:
        context.count(statement.value, table()["torch.cat"][0])
    assert context.diagnostics.result.used == {"torch.cat": 2}


@pytest.mark.parametrize(("text", "name"), [("x = torch.tensor([])\n", "_cat"), ("x = torch.ones(2)\n", "mint.cat")])
def test_a_file_that_makes_empty_vectors_joins_with_a_helper(text: str, name: str) -> None:
    assert context_of(text).imports.name("mint.cat") == name


def test_tensors_of_several_dtypes_are_joined_in_the_common_one_in_a_file_that_makes_empty_vectors() -> None:
    assert_same_answers(
        "import torch\n"
        "x = torch.cat([torch.tensor([]), torch.arange(2), torch.ones(1, dtype=torch.float16)])\n"
        "y = torch.cat((torch.arange(2), torch.tensor([0.5])))\n"
        "answers = [[z.tolist(), str(z.dtype).split('.')[-1].lower()] for z in (x, y)]\n"
    )
