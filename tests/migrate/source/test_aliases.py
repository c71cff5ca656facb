"""The names of which an expression may have the memory, and what is private at a statement."""

import ast

import pytest

from sporax._src.migrate.source.aliases import ELSEWHERE, Aliases, is_write
from sporax._src.migrate.source.context import Context
from sporax._src.migrate.source.convert import convert

HEAD = "import torch\nimport numpy as np\nfrom torch import nn\nx = torch.ones(2, 3)\nn = 1\nlayer = nn.Linear(3, 3)\n"


def asked(monkeypatch, program, question):
    """Convert a program, and return what `question(aliases, node)` answers at its last augmented assignment."""
    answers, contexts = [], []
    init = Aliases.__init__

    def remember(self, context: Context) -> None:
        init(self, context)
        contexts.append(context)

    monkeypatch.setattr(Aliases, "__init__", remember)
    monkeypatch.setattr(
        Aliases, "is_private", lambda self, name, among=frozenset(): answers.append(question(self)) or True
    )
    convert(f"{HEAD}{program}\ny = x * 1\ny += 1\n")
    return answers[-1]


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("x", {"x"}),
        ("x + 1", set()),
        ("x.view(-1)[0].t()", {"x"}),
        ("x.exp()", set()),
        ("x if n else x.T", {"x"}),
        ("torch.relu(x)", set()),
        ("nn.functional.relu(x, inplace=True)", {"x"}),
        ("torch.transpose(x, 0, 1)", {"x"}),
        ("torch.ones(2, requires_grad=True)", {ELSEWHERE}),
        ("layer(x)", set()),
        ("unknown(x)", {"x", ELSEWHERE}),
        ("unknown.attribute", {ELSEWHERE}),
        ("[x, n]", {"x"}),
        ("max(x, x)", {"x"}),
        ("len(x)", set()),
        ("np.exp(x)", set()),
        ("x.size(0)", set()),
        ("'text'", set()),
    ],
)
def test_names_of_which_an_expression_may_have_the_memory(monkeypatch, expression, names):
    def question(aliases):
        tree = aliases._context.source.tree
        return aliases.roots(next(n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) and n.lineno == 7))

    assert asked(monkeypatch, f"value = {expression}", question) == names


def test_methods_that_write_end_in_one_underscore():
    assert is_write("add_")
    assert not is_write("add")
    assert not is_write("__init__")
    assert not is_write("requires_grad_")
