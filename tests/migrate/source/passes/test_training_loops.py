"""What a program trains: which names are optimizers and data, and where gradients start anew."""

import ast

import pytest
from converted_text import body

from sporax._src.migrate.source.passes.training_loops import first_argument

LOOP = """def train(net, x, opt):
    opt.zero_grad()
    loss = net(x).sum()
    loss.backward()
    opt.step()
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("backward(a, b)", "a"),
        ("backward(grad_tensors=b, tensors=[a])", "[a]"),
        ("backward(*a)", None),
        ("backward()", None),
    ],
)
def test_what_backward_is_called_on(call: str, expected: str | None) -> None:
    found = first_argument(ast.parse(call, mode="eval").body)
    assert (found and ast.unparse(found)) == expected


def test_gradients_go_to_the_optimizer_where_they_are_emptied() -> None:
    assert body(LOOP).endswith(
        "    loss, grads = mindspore.value_and_grad(forward_fn, None, opt.parameters)(x)\n    opt(grads)\n"
    )
    assert "_accumulate(opt.parameters, grads)\n    _step(opt)\n" in body(LOOP.replace("    opt.zero_grad()\n", ""))


@pytest.mark.parametrize(("name", "is_optimizer"), [("opt", True), ("my_optim", True), ("opt_sched", False)])
def test_an_optimizer_is_known_by_its_name(name: str, is_optimizer: bool) -> None:
    assert (f"{name}.parameters" in body(LOOP.replace("opt", name))) is is_optimizer


def test_an_optimizer_of_the_file_is_known_by_its_kind() -> None:
    text = f"trainer = torch.optim.SGD(ps, 0.1)\n{LOOP.replace('net, x, opt', 'net, x').replace('opt.', 'trainer.')}"
    assert "mindspore.value_and_grad(forward_fn, None, trainer.parameters)(x)\n    trainer(grads)\n" in body(text)


def test_tensors_that_require_gradients_are_differentiated_for() -> None:
    text = "w = torch.ones([2], requires_grad=True)\nloss = (w * x).sum()\nloss.backward()\n"
    assert "mindspore.value_and_grad(forward_fn, 0, None)(w)\n_accumulate((w,), (grads,))\n" in body(text)


def test_what_is_no_data_is_no_argument() -> None:
    """A function, a module and a number are found in the scope around."""
    text = LOOP.replace("net(x)", "net(x, n) * f(x)").replace("    opt.zero", "    n, f = 3, make()\n    opt.zero")
    assert "def forward_fn(x):\n" in body(text)
