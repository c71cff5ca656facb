"""What a file asks of its optimizers."""

import ast

import pytest

from sporax._src.migrate.source.optimizer_kinds import freezes, has_step_hooks, needs_exact

FROZEN = "for p in net.parameters():\n    p.requires_grad = False\n"


@pytest.mark.parametrize(
    ("text", "is_frozen", "is_exact"),
    [
        ("net(x)", False, False),
        ("x.requires_grad = True", False, False),
        (FROZEN, True, False),
        (f"{FROZEN}x = torch.ones(2, requires_grad=True)", True, False),
        (f"{FROZEN}net.requires_grad_(True)", True, True),
        ("def f(net, flag):\n    for p in net.parameters():\n        p.requires_grad = flag", True, True),
        ("p = nn.Parameter(x, requires_grad=False)", True, False),
        ("w = torch.zeros(2, dtype=torch.cfloat)", False, True),
        ("w = 2j * x", False, True),
    ],
)
def test_what_is_trained_at_times(text: str, is_frozen: bool, is_exact: bool) -> None:
    tree = ast.parse(text)
    assert (freezes(tree), needs_exact(tree)) == (is_frozen, is_exact)


def test_hooks_of_steps_are_found() -> None:
    assert has_step_hooks(ast.parse("opt.register_step_post_hook(f)"))
    assert not has_step_hooks(ast.parse("net.register_forward_hook(f)"))
