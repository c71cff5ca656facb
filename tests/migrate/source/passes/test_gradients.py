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


MAYBE = """def train(net, x, c, opt):
    opt.zero_grad()
    h = net(x)
    if c:
        y = h + 1
    h.sum().backward()
    opt.step()
    return y if c else h
"""


def test_what_may_not_be_assigned_is_no_result_but_a_name_of_the_scope_around() -> None:
    assert body(MAYBE) == (
        "def train(net, x, c, opt):\n"
        "    y: object\n"
        "    def forward_fn(x, c):\n"
        "        nonlocal y\n"
        "        h = net(x)\n"
        "        if c:\n"
        "            y = h + 1\n"
        "        return h.sum(), h\n"
        "    (_, h), grads = mindspore.value_and_grad(forward_fn, None, opt.parameters, has_aux=True)(x, c)\n"
        "    opt(grads)\n"
        "    return y if c else h\n"
    )
    assert "y: object" not in body(MAYBE.replace("    h = net", "    y = None\n    h = net"))


def test_what_the_function_declares_is_assigned_outside() -> None:
    text = MAYBE.replace("    opt.zero", "    global h, z\n    opt.zero").replace("y = h + 1", "y = z = h + 1")
    text = body(text.replace("y if c else h", "y"))
    assert "        global z; nonlocal y\n" in text
    assert "    (_, h), grads = mindspore" in text


def test_what_a_network_is_made_of_stands_before_the_function() -> None:
    text = "def f(kind, config, x):\n    config = config(2)\n    net = kind(config)\n    net.eval()\n    net(x).sum().backward()\n"
    assert "    config = config(2)\n    net = kind(config)\n    net.set_train(False)\n    def forward_fn(x):\n" in body(
        text
    )
    text = text.replace("config = config(2)", "x = config(x)").replace("kind(config)", "kind(x)")
    assert body(text).startswith("def f(kind, config, x):\n    def forward_fn(x):\n        x = config(x)\n")


def test_an_optimizer_of_another_function_is_none_of_this_one() -> None:
    first = "def train(net, x):\n    optimizer = make(net)\n    net(x).backward()\n    optimizer.step()\n"
    second = "def check(net, x):\n    net(x).sum().backward()\n    return net.weight.grad\n"
    assert "_accumulate(_trained(net), grads_2)" in body(first + second)
    seen = first.replace("    optimizer =", "    global optimizer\n    optimizer =")
    assert "_accumulate(optimizer.parameters, grads_2)" in body(seen + second)
    assert "_accumulate(optimizer.parameters, grads_2)" in body("optimizer = make()\n" + first + second)
