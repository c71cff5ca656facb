"""Training loops and gradients: each common shape, run under torch and converted."""

import textwrap
import types

import numpy as np
import pytest
from converted_programs import assert_same_answers, execute

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.passes.gradients import RUNS_AGAIN, UNUSED

BEGIN = """
import torch
import torch.nn.functional as F
x = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]])
w = torch.tensor([[0.1, 0.2, -0.3]], requires_grad=True)
v = torch.tensor([0.5, -0.25, 1.0], requires_grad=True)
"""

OBJECT = """
def made():
    net = torch.nn.Linear(3, 3)
    torch.nn.init.constant_(net.weight, 0.1)
    torch.nn.init.zeros_(net.bias)
    return net

class Object:
    def __init__(self):
        self.net, self.judge, self.scale = made(), made(), 0.5
        self.optimizer = torch.optim.SGD([*self.net.parameters(), *self.judge.parameters()], lr=0.1)
"""

PROGRAMS = {
    "one leaf": "loss = (w * x).pow(2).sum()\nloss.backward()\nresult = w.grad\n",
    "two leaves": "y = (w * v * x).sum()\ny.backward()\nresult = [w.grad, v.grad]\n",
    "given cotangent": "y = w * x\ny.backward(torch.ones_like(y) * 3)\nresult = w.grad\n",
    "gradients add up": "(w * x).sum().backward()\n(w * w).sum().backward()\nresult = w.grad\n",
    "values of the forward": "a = w * x\nb = a.exp()\nb.sum().backward()\nresult = [a, b, w.grad]\n",
    "autograd.grad": "y = (w * x).pow(2).sum()\n(result,) = torch.autograd.grad(y, w)\n",
    "autograd.grad of two": "y = (w * v).pow(2).sum()\nresult = torch.autograd.grad(y, (w, v))\n",
    "autograd.grad of a list": "y = w * v\nresult = torch.autograd.grad([y.sum()], [w, v], torch.tensor(2.0))\n",
    "autograd.grad of several": (
        "y = w * v\nz = w.exp()\nresult = torch.autograd.grad([y, z.sum()], [w, v], [torch.ones_like(y) * 3, None])\n"
    ),
    "second order": (
        "def penalty(w):\n    y = w.pow(3).sum()\n    g = torch.autograd.grad(y, w, create_graph=True)[0]\n"
        "    return g.pow(2).sum()\n"
        "loss = penalty(w)\nloss.backward()\nresult = w.grad\n"
    ),
    "within a function": (
        "def gradient(x):\n    w = torch.ones(3, requires_grad=True)\n    loss = (w * x).pow(2).sum()\n    loss.backward()\n"
        "    return loss, w.grad\nresult = gradient(x)\n"
    ),
    "a step without zero_grad in a loop": (
        "net = torch.nn.Linear(3, 1)\ntorch.nn.init.ones_(net.weight)\ntorch.nn.init.zeros_(net.bias)\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for _ in range(3):\n    loss = net(x).pow(2).sum()\n    loss.backward()\n    optimizer.step()\n"
        "result = [net.weight.detach(), net.bias.detach()]\n"
    ),
    "an optimizer made after the forward": (
        "net = torch.nn.Linear(3, 1)\ntorch.nn.init.ones_(net.weight)\ntorch.nn.init.zeros_(net.bias)\nout = net(x)\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nloss = out.pow(2).sum()\nloss.backward()\n"
        "optimizer.step()\nresult = [loss.detach(), net.weight.detach()]\n"
    ),
    "a leaf made after the forward of another": (
        "y = w * x\nu = torch.full((3,), 2.0, requires_grad=True)\nloss = (y * u).sum()\nloss.backward()\n"
        "result = [w.grad, u.grad]\n"
    ),
    "gradients read in between": (
        "(w * x).sum().backward()\nseen = w.grad.clone()\n(w * w).sum().backward()\nresult = [seen, w.grad]\n"
    ),
    "autograd.backward": "y = w * x\ntorch.autograd.backward(y, torch.ones_like(y) * 3)\nresult = w.grad\n",
    "autograd.backward of several": (
        "from torch.autograd import backward\ny = w * x\nz = v.exp()\nbackward([y, z.sum()], [torch.ones_like(y) * 3, None])\n"
        "u = w * v\ntorch.autograd.backward(tensors=(u.sum(), u.pow(2).sum()))\nresult = [w.grad, v.grad]\n"
    ),
    "autograd.grad that is returned": (
        "def slope(w):\n    y = w.pow(3).sum()\n    return torch.autograd.grad(y, w)[0]\nresult = slope(w)\n"
    ),
    "L-BFGS calls its closure": (
        "net = torch.nn.Linear(3, 1, bias=False)\ntorch.nn.init.zeros_(net.weight)\n"
        "optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)\n"
        "def closure():\n    optimizer.zero_grad()\n    loss = (net(x) - 1).pow(2).sum()\n    loss.backward()\n"
        "    return loss\noptimizer.step(closure)\nresult = net.weight.detach()\n"
    ),
    "a method of an object of which nothing is known": (
        "class Agent(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.ones(3))\n"
        "    def evaluate(self, x):\n        return self.w * x, 2.0\n"
        "def train(agent):\n    optimizer = torch.optim.SGD(agent.parameters(), lr=0.1)\n    for _ in range(3):\n"
        "        value, scale = agent.evaluate(x)\n        loss = value.pow(2).sum() * scale\n"
        "        optimizer.zero_grad()\n        loss.backward()\n        optimizer.step()\n    return agent.w.detach()\n"
        "result = train(Agent())\n"
    ),
    "a Parameter without a network": (
        "p = torch.nn.Parameter(torch.ones(3))\noptimizer = torch.optim.SGD([p], lr=0.1)\n"
        "for _ in range(3):\n    loss = (p * x).pow(2).sum()\n    optimizer.zero_grad()\n    loss.backward()\n"
        "    optimizer.step()\nresult = p.detach()\n"
    ),
    "a name that both branches assign": (
        "def train(net, flag):\n    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n    out = net(x)\n"
        "    if flag:\n        loss = out.pow(2).sum()\n    else:\n        loss = out.sum()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n    return loss.detach()\n"
        "net = torch.nn.Linear(3, 1)\ntorch.nn.init.ones_(net.weight)\ntorch.nn.init.zeros_(net.bias)\n"
        "result = [train(net, True), train(net, False), net.weight.detach()]\n"
    ),
    "a state that is made in the first round": (
        "def train(net):\n    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n    for i in range(3):\n"
        "        out = net(x)\n        if i == 0:\n            state = out * 0\n        else:\n"
        "            state = state.detach() + out\n        loss = state.pow(2).sum()\n        optimizer.zero_grad()\n"
        "        loss.backward()\n        optimizer.step()\n    return loss.detach()\n"
        "net = torch.nn.Linear(3, 1)\ntorch.nn.init.ones_(net.weight)\ntorch.nn.init.zeros_(net.bias)\n"
        "result = [train(net), net.weight.detach()]\n"
    ),
    "a state and a list that only the forward reads": (
        "def train(net):\n    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n    state, seen = torch.zeros(2, 1), []\n"
        "    for i in range(3):\n        state = state.detach() + net(x)\n        seen += [1.0]\n"
        "        loss = state.pow(2).sum() * sum(seen)\n        optimizer.zero_grad()\n        loss.backward()\n"
        "        optimizer.step()\n    return loss.detach()\n"
        "net = torch.nn.Linear(3, 1)\ntorch.nn.init.ones_(net.weight)\ntorch.nn.init.zeros_(net.bias)\n"
        "result = [train(net), net.weight.detach()]\n"
    ),
    "an optimizer over two networks": (
        "def made():\n    net = torch.nn.Linear(3, 1)\n    torch.nn.init.ones_(net.weight)\n    torch.nn.init.zeros_(net.bias)\n"
        "    return net\nfirst, second = made(), made()\n"
        "optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()],\n                            lr=0.1)\n"
        "loss = (first(x) * second(x + 1)).sum()\nloss.backward()\noptimizer.step()\n"
        "result = [first.weight.detach(), second.weight.detach()]\n"
    ),
    "a result that another method leaves in an attribute": (
        f"{OBJECT}    def forward(self):\n        self.fake = self.net(self.real) * self.scale\n"
        "    def backward(self):\n        shifted = self.fake + 1\n        self.loss = self.judge(shifted).pow(2).sum()\n"
        "        self.loss.backward()\n"
        "    def step(self, x):\n        self.real = x\n        self.forward()\n        self.optimizer.zero_grad()\n"
        "        self.backward()\n        self.optimizer.step()\n        return self.loss.detach()\n"
        "o = Object()\nresult = [o.step(x), o.step(x + 1), o.net.weight.detach(), o.judge.weight.detach()]\n"
    ),
    "a result in an attribute whose gradient is stopped": (
        f"{OBJECT}    def forward(self):\n        self.fake = self.net(self.real)\n"
        "    def backward(self):\n        fakes = torch.cat([self.fake, self.fake], 0)\n"
        "        self.loss = self.judge(fakes.detach()).pow(2).sum()\n        self.loss.backward()\n"
        "    def step(self, x):\n        self.real = x\n        self.forward()\n        self.optimizer.zero_grad()\n"
        "        self.backward()\n        self.optimizer.step()\n        return self.loss.detach()\n"
        "o = Object()\nresult = [o.step(x), o.step(x + 1), o.net.weight.detach(), o.judge.weight.detach()]\n"
    ),
    "a result that two gradients flow through": (
        "def made(n):\n    net = torch.nn.Linear(n, 3)\n    torch.nn.init.constant_(net.weight, 0.5)\n"
        "    torch.nn.init.zeros_(net.bias)\n    return net\n"
        "G, D = made(3), made(3)\noptG = torch.optim.SGD(G.parameters(), lr=0.1)\n"
        "optD = torch.optim.SGD(D.parameters(), lr=0.1)\n"
        "def train(x):\n    fake = G(x)\n    larger = fake * 2\n    loss_d = D(larger.detach()).pow(2).sum()\n"
        "    optD.zero_grad()\n    loss_d.backward()\n    optD.step()\n    loss_g = D(larger).pow(2).sum()\n"
        "    optG.zero_grad()\n    loss_g.backward()\n    optG.step()\n    return loss_d.detach(), loss_g.detach()\n"
        "result = [*train(x), *train(x), G.weight.detach(), D.weight.detach()]\n"
    ),
    "within a loop": (
        "result = []\nfor i in range(3):\n    u = torch.ones(3, requires_grad=True)\n    loss = (u * x * i).pow(2).sum()\n"
        "    loss.backward()\n    result.append(u.grad)\n"
    ),
}


def results(text):
    program = BEGIN + text
    done = convert(program)
    assert not done.todo, done.todo
    theirs, ours = {}, types.ModuleType("converted")
    exec(program, theirs)
    execute(done, vars(ours))
    return ours.result, theirs["result"], done.text


def assert_close(ours, theirs):
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_close(a, b)
    else:
        np.testing.assert_allclose(ours.asnumpy(), theirs.detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_torchs(name):
    ours, theirs, _ = results(PROGRAMS[name])
    assert_close(ours, theirs)


LOOP = """def train(net, data, optimizer):
    for x, y in data:
        optimizer.zero_grad()
        out = net(x)  # forward
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        seen(out)
"""


def loop(text):
    return convert(f"import torch\n# begin\n{text}").text.partition("# begin\n")[2]


def test_a_plain_loop():
    assert loop(LOOP) == (
        "def train(net, data, optimizer):\n"
        "    for x, y in data:\n"
        "        def forward_fn(x, y):\n"
        "            out = net(x)  # forward\n"
        "            loss = criterion(out, y)\n"
        "            return loss, out\n"
        "        (loss, out), grads = mindspore.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)(x, y)\n"
        "        optimizer(grads)\n"
        "        seen(out)\n"
    )


def test_what_the_forward_writes_into_is_no_argument():
    text = LOOP.replace(
        "        loss = criterion(out, y)\n",
        "        loss = criterion(out, y)\n        seen.append(loss.item())\n        y[0] = loss\n",
    ).replace("    for x", "    seen = []\n    for x")
    assert "        def forward_fn(x):\n" in loop(text)


METHODS = """class Trainer:
    def __init__(self, net, optimizer):
        self.net, self.optimizer, self.weight = net, optimizer, weight()

    def set_input(self, batch):
        self.real, self.mask, self.kept = batch

    def distance(self):
        return criterion(self.kept)

    def backward(self):
        self.loss = criterion(self.net(self.real)) * self.weight + self.distance()
        if self.masked:
            self.loss = self.loss * self.mask
        self.loss.backward()
"""


def test_attributes_that_hold_data_are_arguments():
    assert (
        "        def forward_fn(*_):\n"
        "            self.loss = criterion(self.net(self.real)) * self.weight + self.distance()\n"
        "            if self.masked:\n"
        "                self.loss = self.loss * self.mask\n"
        "            return self.loss\n"
    ) in loop(METHODS)
    given = '(self.real, self.masked, getattr(self, "mask", None), getattr(self, "kept", None))'
    assert any(line.endswith(given) for line in loop(METHODS).splitlines())


def test_a_method_that_runs_again_is_noted():
    text = (
        METHODS.replace("self.real, self.mask", "self.mask")
        + "\n    def forward(self):\n        self.real = self.net(self.mask)\n"
    )
    done = convert(f"import torch\n{text}")
    assert done.notes == [(16, "torch.Tensor.backward", RUNS_AGAIN)]
    assert "        def forward_fn(*_):\n            self.forward()\n            self.loss = " in done.text


def test_what_a_batch_holds_is_an_argument():
    text = LOOP.replace("x, y in data", "batch in data").replace("net(x)", "net(batch.x, batch.y.float())")
    assert "has_aux=True)(batch.x, batch.y)\n" in loop(text)


def test_gradients_that_pile_up_are_kept_where_torch_keeps_them():
    text = LOOP.replace("        optimizer.zero_grad()\n", "").replace(
        "        optimizer.step()\n",
        "        if ready():\n            optimizer.step()\n            optimizer.zero_grad()\n",
    )
    assert (
        "        _accumulate(optimizer.parameters, grads)\n"
        "        if ready():\n"
        "            _step(optimizer)\n"
        "            _zero_grad(optimizer)\n"
    ) in loop(text)


def test_a_closure():
    text = (
        "def closure():\n    optimizer.zero_grad()\n    loss = net(x)\n    loss.backward()\n    return loss\n"
        "value = optimizer.step(closure)\n"
    )
    converted = loop(f"optimizer = make()\n{text}")
    assert "    _zero_grad(optimizer)\n    def forward_fn():\n        loss = net(x)\n" in converted
    assert converted.endswith("value = _step(optimizer, closure)\n")


def test_clipping_is_of_the_gradients():
    text = LOOP.replace(
        "        optimizer.step",
        "        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)\n        optimizer.step",
    )
    assert "        grads = ops.clip_by_norm(grads, 0.5)\n        optimizer(grads)\n" in loop(text)


def test_mixed_precision_scaling_goes():
    text = LOOP.replace("loss.backward", "scaler.scale(loss).backward").replace(
        "optimizer.step()", "scaler.step(optimizer)\n        scaler.update()"
    )
    assert loop(text) == loop(LOOP)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "def f(net, x):\n    loss = net(x)\n    loss.backward(inputs=[net.weight])\n",
            "backward: inputs= has no counterpart; take these gradients with torch.autograd.grad",
        ),
        (
            "def f(loss):\n    loss.backward()\n",
            "backward: compute the loss in this block too, as in `loss = criterion(net(x), y); loss.backward()`",
        ),
        (
            "def f(loss, optimizer):\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n",
            "backward: compute the loss in this block too, as in `loss = criterion(net(x), y); loss.backward()`",
        ),
        (
            "def f(net, x, optimizer):\n    loss = net(x)\n    if x: return\n    loss.backward()\n    optimizer.step()\n",
            "backward: line 4 cannot move into the function that is differentiated; move it out of the forward pass",
        ),
        (
            f"{METHODS}\n    def first(self):\n        self.real = self.net(self.mask)\n",
            "backward: self.real is computed in set_input and first; compute it in this block",
        ),
        (
            f"{METHODS}\n    def first(self, x):\n        self.other = self.net(x)\n".replace(
                "self.mask\n", "self.other\n"
            ),
            "backward: self.other is computed in first; compute it in this block",
        ),
    ],
)
def test_what_cannot_be_moved_is_left(text, reason):
    assert reason in [said for _, said in convert(f"import torch\n{text}").todo]


def test_a_learning_rate_that_is_set_changes_its_parameter():
    text = (
        'for group in optimizer.param_groups:\n    group["lr"] = rate(1)\n    group["lr"] *= 0.5 + x\n'
        '    group["weight_decay"] *= 2\noptimizer.param_groups[0]["lr"] = 0.1\nother["lr"] = 3\n'
    )
    assert loop(text) == (
        "for group in optimizer.param_groups:\n    _set_learning_rate(group, rate(1))\n"
        '    _set_learning_rate(group, group["lr"] * (0.5 + x))\n    group["weight_decay"] *= 2\n'
        '_set_learning_rate(optimizer.param_groups[0], 0.1)\nother["lr"] = 3\n'
    )


def test_gradients_whose_statements_are_interleaved_are_left():
    text = """import torch
for x in data:
    y = torch.ones(3)
    a = (x * x).sum()
    b = (y * y).sum()
    g = torch.autograd.grad(a, x)[0]
    h = torch.autograd.grad(b, y)[0]
"""
    done = convert(text)
    reason = "torch.autograd.grad: line 5 is inside the statements of another gradient; move it after that gradient"
    assert done.todo == [(7, reason)]


def test_the_zero_gradient_of_an_unused_input_is_reported() -> None:
    text = "import torch\na = torch.ones(2, requires_grad=True)\nb = torch.ones(2, requires_grad=True)\n"
    done = convert(f"{text}g = torch.autograd.grad(a.sum(), (a, b), allow_unused=True)\n")
    assert done.notes == [(4, "torch.autograd.grad", UNUSED)]


def test_weights_of_a_network_of_unknown_kind_get_gradients_beside_inputs() -> None:
    text = """
        import torch

        def make():
            net = torch.nn.Linear(2, 1)
            torch.nn.init.ones_(net.weight)
            return [net][0]

        net = make()
        x = torch.ones(3, 2, requires_grad=True)
        net(x).sum().backward()
        answers = [x.grad.tolist(), net.weight.grad.tolist()]
    """
    assert_same_answers(textwrap.dedent(text))


def test_a_loss_that_begins_as_a_number():
    assert_same_answers("""
import torch
from torch import nn
net = nn.Linear(2, 2)
with torch.no_grad():
    [p.fill_(0.5) for p in net.parameters()]
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, target = torch.arange(6.0).reshape(3, 2), torch.ones(3, 2)
answers = []
for epoch in range(3):
    optimizer.zero_grad()
    output = net(x)
    loss = 0
    for i in range(len(target)):
        loss += criterion(output[i], target[i])
    answers.append("{:.3f}".format(loss))
    loss.backward()
    optimizer.step()
""")


@pytest.mark.parametrize("has_optimizer", [True, False])
def test_an_optimizer_that_is_made_under_a_condition(has_optimizer):
    assert_same_answers(
        f"""
import torch
from torch import nn
net = nn.Linear(2, 1)
with torch.no_grad():
    [p.fill_(0.5) for p in net.parameters()]
use_optimizer = {has_optimizer}
if use_optimizer:
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.arange(6.0).reshape(3, 2)
def train():
    losses = []
    for _ in range(3):
        if use_optimizer:
            optimizer.zero_grad()
        else:
            net.zero_grad()
        loss = (net(x) ** 2).mean()
        loss.backward()
        if use_optimizer:
            optimizer.step()
        else:
            for p in net.parameters():
                p.data.add_(p.grad, alpha=-0.05)
        losses.append(loss.item())
    return losses
answers = train()
""",
        1e-4,
    )
