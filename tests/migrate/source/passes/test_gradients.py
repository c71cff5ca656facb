"""The text of gradients: the function that is differentiated, the call of its gradient, and what is done with it."""

import pytest
from converted_text import body, reasons

LOOP = """def train(net, x, opt):
    opt.zero_grad()
    loss = net(x)
    loss.backward()
    opt.step()
"""


def test_gradients_of_inputs_are_a_tuple_without_a_gradient_of_their_own() -> None:
    text = "def f(x: torch.Tensor):\n    y = x ** 2\n    g, = torch.autograd.grad(y.sum(), x)\n    return g\n"
    assert body(text) == (
        "def f(x: mindspore.Tensor):\n"
        "    def forward_fn(x):\n"
        "        y = x ** 2\n"
        "        return y.sum()\n"
        "    _, gradients = mindspore.value_and_grad(forward_fn, 0, None)(x)\n"
        "    g, = tuple(map(ops.stop_gradient, (gradients,)))\n"
        "    return g\n"
    )
    assert "    g, = (gradients,)\n" in body(text.replace("x)\n    return", "x, create_graph=True)\n    return"))


def test_outputs_are_added_each_with_its_vector() -> None:
    text = "def f(x: torch.Tensor):\n    y = x ** 2\n    return torch.autograd.grad([y, y + 1], [x], [v, None])\n"
    assert "        return (y * v).sum() + (y + 1)\n" in body(text)
    assert "        return ((net(x) * 2) * w).sum()\n    _, grads = " in body(
        LOOP.replace("    loss = net(x)\n    loss.backward()", "    (net(x) * 2).backward(w)")
    )


def test_the_lines_of_a_function_begin_with_tabs_where_those_of_its_body_do() -> None:
    assert body(LOOP.replace("    ", "\t")) == body(LOOP).replace("    ", "\t")


def test_each_of_several_optimizers_takes_its_part() -> None:
    text = LOOP.replace("    opt.step()\n", "    opt.step()\n    opt_2.step()\n")
    assert body(text).endswith(
        "(forward_fn, None, list(opt.parameters) + list(opt_2.parameters))(x)\n"
        "    opt(grads[0:len(opt.parameters)])\n"
        "    opt_2(grads[len(opt.parameters):len(opt.parameters) + len(opt_2.parameters)])\n"
    )


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        ("clip_grad_norm_(net.parameters(), max_norm=a)", "ops.clip_by_norm(grads, max_norm=a)"),
        ("clip_grad_value_(net.parameters(), clip_value=a)", "ops.clip_by_value(grads, -(a), a)"),
    ],
)
def test_gradients_are_clipped_between_backward_and_step(clip: str, expected: str) -> None:
    text = LOOP.replace("    opt.step", f"    torch.nn.utils.{clip}\n    opt.step")
    assert body(text).endswith(f"    grads = {expected}\n    opt(grads)\n")


def test_new_names_are_none_of_the_file() -> None:
    text = f"forward_fn = grads = grads_2 = 1\n{LOOP}"
    assert "    loss, grads_3 = mindspore.value_and_grad(forward_fn_2, None, opt.parameters)(x)\n" in body(text)


def test_without_an_optimizer_the_parameters_are_those_of_the_networks_that_run() -> None:
    text = "class Net(nn.Module): ...\ndef f(x):\n    net = Net()\n    loss = net(x)\n    loss.backward()\n"
    assert body(text).endswith(
        "    loss, grads = mindspore.value_and_grad(forward_fn, None, net.trainable_params())(x)\n"
        "    _accumulate(net.trainable_params(), grads)\n"
    )


def test_a_gradient_of_starred_arguments_is_left() -> None:
    reason = "torch.autograd.grad: write out the arguments outputs and inputs, as in `grad(loss, [x])`"
    assert reasons("g = torch.autograd.grad(*xs)\n") == [reason]


def test_statements_of_one_line_are_differentiated() -> None:
    assert not reasons("for x in xs:\n    y = x; g = torch.autograd.grad(y, x)\n")
