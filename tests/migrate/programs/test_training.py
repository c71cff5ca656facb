"""Training in forms other than the common loop: each program gives the same answers under torch and converted."""

import pytest
from converted_programs import assert_same_answers
from converted_text import reasons

BEGIN = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
"""

NETWORK = """
def made(*sizes):
    net = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.linspace(-0.5, 0.6, p.numel()).reshape(p.shape) * (i + 1) / 3)
    return net
x = torch.linspace(-1, 1, 12).reshape(4, 3)
y = torch.linspace(0, 1, 4).reshape(4, 1)
"""

PROGRAMS = {
    "an optimizer that is made under a condition": NETWORK
    + """
def run(use):
    net = made(3, 1)
    if use:
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    out = []
    for _ in range(3):
        if use:
            optimizer.zero_grad()
        else:
            net.zero_grad()
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        if use:
            optimizer.step()
        else:
            for p in net.parameters():
                p.data.add_(p.grad, alpha=-0.1)
        out.append(loss.item())
    return out
answers = [run(True), run(False)]
""",
    "an optimizer or None": NETWORK
    + """
def run(use):
    net = made(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1) if use else None
    out = []
    for _ in range(3):
        net.zero_grad()
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        if optimizer is not None:
            optimizer.step()
        out.append(loss.item())
    return out
answers = [run(True), run(False)]
""",
    "an optimizer as an optional argument": NETWORK
    + """
def epoch(net, optimizer=None):
    out = []
    for _ in range(3):
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        if optimizer is not None:
            optimizer.step()
            optimizer.zero_grad()
        out.append(loss.item())
    return out
net = made(3, 1)
answers = [epoch(net), epoch(net, torch.optim.SGD(net.parameters(), lr=0.1)), epoch(net)]
""",
    "an optimizer of the file under a condition": NETWORK
    + """
use = False
net = made(3, 1)
if use:
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
answers = []
for _ in range(3):
    if use:
        optimizer.zero_grad()
    else:
        net.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    if use:
        optimizer.step()
    else:
        for p in net.parameters():
            p.data.add_(p.grad, alpha=-0.1)
    answers.append(loss.item())
""",
    "a gradient before the first backward": """
x = torch.tensor(1.0, requires_grad=True); y = torch.tensor(2.0, requires_grad=True)
z = x**2 + y
before = x.grad
z.backward()
answers = [before is None, x.grad.item(), y.grad.item()]
""",
    "gradients that are reset": """
x = torch.tensor(1.0, requires_grad=True)
y = torch.tensor(2.0, requires_grad=True)
z = x**2 + y
answers = [x.grad is None]
z.backward()
answers.append(x.grad.item())
x.grad.zero_()
answers.append(x.grad.item())
x.grad = None
(x * 3).backward()
answers += [x.grad.item(), y.grad.item()]
net = nn.Linear(2, 1)
answers.append([p.grad is None for p in net.parameters()])
def has(t):
    return t.grad is not None
answers += [has(net.weight), has(torch.ones(2)), has(x)]
""",
    "Parameters changed by hand": NETWORK
    + """
net = made(3, 2, 1)
answers = []
lr = 0.05
for _ in range(4):
    loss = F.mse_loss(net(x), y)
    loss.backward()
    for p in net.parameters():
        p.data.add_(p.grad, alpha=-lr)
        p.grad = None
    answers.append(loss.item())
for _ in range(4):
    loss = F.mse_loss(net(x), y)
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p.sub_(lr * p.grad)
            p.grad.zero_()
    answers.append(loss.item())
for _ in range(4):
    loss = F.mse_loss(net(x), y)
    loss.backward()
    for name, p in net.named_parameters():
        p.data = p.data - lr * p.grad.data
        p.grad.data.zero_()
    answers.append(loss.item())
""",
    "Tensors changed by hand": """
x = torch.linspace(-1, 1, 8).reshape(4, 2)
y = torch.tensor([1.0, 2.0, 3.0, 4.0])
w = torch.full((2,), 0.3).requires_grad_()
answers = []
for _ in range(4):
    loss = ((x @ w - y) ** 2).mean()
    g, = torch.autograd.grad(loss, [w])
    w = (w - 0.1 * g).detach().requires_grad_()
    answers.append(loss.item())
for _ in range(3):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad = None
    answers.append(loss.item())
for _ in range(3):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    w = (w.detach() - 0.1 * w.grad).requires_grad_(True)
    answers.append(loss.item())
""",
    "an optimizer of Tensors": """
x = torch.linspace(-1, 1, 8).reshape(4, 2)
y = torch.tensor([1.0, 2.0, 3.0, 4.0])
w = torch.full((2,), 0.3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam([w, b], lr=0.1)
answers = []
for _ in range(4):
    opt.zero_grad()
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    opt.step()
    answers.append(loss.item())
answers.append(w.tolist())
""",
    "an optimizer of an image": """
def fit(target):
    img = torch.zeros(2, 3).requires_grad_(True)
    opt = torch.optim.SGD([img], lr=0.1, momentum=0.9)
    out = []
    for _ in range(4):
        loss = ((img - target) ** 2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        out.append(loss.item())
    return out, img.tolist(), img.grad.tolist()
answers = [fit(torch.ones(2, 3)), fit(torch.arange(6.).reshape(2, 3))]
""",
    "an optimizer of a perturbation": """
def fit(image, target):
    delta = torch.zeros_like(image, requires_grad=True)
    opt = torch.optim.SGD([delta], lr=0.1)
    for _ in range(3):
        loss = ((image + delta - target) ** 2).sum()
        opt.zero_grad()
        loss.backward()
        delta.grad.clamp_(-0.5, 0.5)
        opt.step()
        delta.data.clamp_(-1, 0.15)
    return delta.detach()
answers = fit(torch.ones(2, 3), torch.arange(6.).reshape(2, 3)).tolist()
""",
    "L-BFGS of a Tensor": """
w = torch.tensor([3.0, -2.0], requires_grad=True)
opt = torch.optim.LBFGS([w], lr=0.5, max_iter=4)
answers = []
def closure():
    opt.zero_grad()
    loss = (w ** 2).sum() + (w[0] - w[1]) ** 2
    loss.backward()
    return loss
for _ in range(3):
    answers.append(opt.step(closure).item())
answers.append(w.tolist())
""",
    "a gradient penalty in a function": NETWORK
    + """
D = made(3, 4, 1)
opt = torch.optim.SGD(D.parameters(), lr=0.05)
def gradient_penalty(D, real, fake):
    alpha = torch.linspace(0, 1, 4).reshape(4, 1)
    inter = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    d = D(inter)
    grads = torch.autograd.grad(outputs=d, inputs=inter, grad_outputs=torch.ones_like(d), create_graph=True, only_inputs=True)[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()
answers = []
for _ in range(3):
    real, fake = x, x.flip(0) * 2
    opt.zero_grad()
    loss = D(fake).mean() - D(real).mean() + 10 * gradient_penalty(D, real, fake)
    loss.backward()
    opt.step()
    answers.append(loss.item())
""",
    "a gradient penalty": NETWORK
    + """
D = made(3, 4, 1)
opt = torch.optim.SGD(D.parameters(), lr=0.05)
answers = []
for _ in range(3):
    real, fake = x, x.flip(0) * 2
    opt.zero_grad()
    inter = (0.3 * real + 0.7 * fake).requires_grad_(True)
    d = torch.tanh(D(inter))
    grads = torch.autograd.grad(d, inter, torch.ones_like(d), create_graph=True)[0]
    gp = ((grads.norm(2, dim=1) - 1) ** 2).mean()
    loss = D(fake).mean() - D(real).mean() + 10 * gp
    loss.backward()
    opt.step()
    answers.append(loss.item())
""",
    "a penalty of real data": NETWORK
    + """
D = made(3, 4, 1)
opt = torch.optim.SGD(D.parameters(), lr=0.05)
answers = []
for _ in range(3):
    real = x.clone()
    real.requires_grad = True
    out = torch.tanh(D(real))
    grad_real, = torch.autograd.grad(outputs=out.sum(), inputs=real, create_graph=True)
    r1 = grad_real.pow(2).reshape(4, -1).sum(1).mean()
    loss = F.softplus(-out).mean() + 5 * r1
    opt.zero_grad()
    loss.backward()
    opt.step()
    answers.append(loss.item())
""",
    "a gradient of a gradient": """
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 3).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
z = (g ** 2).sum()
z.backward()
answers = [g.tolist(), x.grad.tolist()]
""",
    "a differential equation": NETWORK
    + """
net = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1))
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(torch.linspace(-0.5, 0.6, p.numel()).reshape(p.shape) * (i + 1) / 3)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 1, 5).reshape(-1, 1).requires_grad_(True)
answers = []
for _ in range(3):
    opt.zero_grad()
    u = net(t)
    du = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
    d2u = torch.autograd.grad(du, t, torch.ones_like(du), create_graph=True)[0]
    loss = ((d2u + u) ** 2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
    loss.backward()
    opt.step()
    answers.append(loss.item())
""",
    "a closure in a loop": NETWORK
    + """
net = made(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
answers = []
for _ in range(3):
    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss
    answers.append(optimizer.step(closure).item())
""",
    "a closure in a function": NETWORK
    + """
def train(net, optimizer, x, y):
    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss
    loss = optimizer.step(closure)
    return loss.item()
net = made(3, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
answers = [train(net, optimizer, x, y) for _ in range(3)]
""",
    "a closure without a gradient": NETWORK
    + """
net = made(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
answers = []
for _ in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    answers.append(optimizer.step(lambda: loss).item())
""",
    "layers frozen and unfrozen": NETWORK
    + """
net = made(3, 2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
answers = []
for epoch in range(4):
    for p in net[0].parameters():
        p.requires_grad = epoch % 2 == 1
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    answers.append(loss.item())
    answers.append(net[0].weight.tolist())
    answers.append(sum(p.requires_grad for p in net.parameters()))
""",
    "two networks frozen in turn": NETWORK
    + """
def set_requires_grad(nets, requires_grad=False):
    if not isinstance(nets, list):
        nets = [nets]
    for net in nets:
        if net is not None:
            for param in net.parameters():
                param.requires_grad = requires_grad
G, D = made(3, 3), made(3, 1)
g_opt = torch.optim.Adam(G.parameters(), lr=0.1)
d_opt = torch.optim.Adam(D.parameters(), lr=0.1)
answers = []
for _ in range(3):
    fake = G(x)
    set_requires_grad(D, False)
    g_opt.zero_grad()
    g_loss = -D(fake).mean()
    g_loss.backward()
    g_opt.step()
    set_requires_grad(D, True)
    d_opt.zero_grad()
    d_loss = D(fake.detach()).mean() - D(x).mean()
    d_loss.backward()
    d_opt.step()
    answers += [g_loss.item(), d_loss.item()]
""",
    "layers unfrozen later": NETWORK
    + """
net = made(3, 2, 1)
for p in net.parameters():
    p.requires_grad_(False)
net[1].weight.requires_grad = True
optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
answers = []
for epoch in range(4):
    if epoch == 2:
        net.requires_grad_(True)
        optimizer.add_param_group({"params": net[0].parameters(), "lr": 0.05})
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    answers.append(loss.item())
answers.append(net[0].weight.tolist())
answers.append(net[1].bias.tolist())
""",
    "gradients of frozen layers": NETWORK
    + """
net = made(3, 2, 1)
for p in net[0].parameters():
    p.requires_grad = False
loss = F.mse_loss(net(x), y)
loss.backward()
answers = [[p.grad is None for p in net.parameters()], net[1].weight.grad.tolist()]
""",
    "a class derived from SGD": NETWORK
    + """
class Clipped(torch.optim.SGD):
    def __init__(self, params, lr, limit):
        super().__init__(params, lr=lr, momentum=0.9)
        self.limit = limit
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.clamp_(-self.limit, self.limit)
        return super().step(closure)
net = made(3, 1)
opt = Clipped(net.parameters(), 0.1, 0.2)
answers = []
for _ in range(3):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    answers.append(loss.item())
""",
    "classes around optimizers": NETWORK
    + """
class Noam:
    def __init__(self, optimizer, factor):
        self.optimizer, self.factor, self.n = optimizer, factor, 0
    def zero_grad(self):
        self.optimizer.zero_grad()
    def step(self):
        self.n += 1
        for p in self.optimizer.param_groups:
            p["lr"] = self.factor / self.n
        self.optimizer.step()
class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups
    @torch.no_grad()
    def first_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                self.state[p]["old"] = p.data.clone()
                p.add_(p.grad * group["rho"])
        if zero_grad:
            self.zero_grad()
    @torch.no_grad()
    def second_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = self.state[p]["old"]
        self.base.step()
        if zero_grad:
            self.zero_grad()
net = made(3, 1)
o = Noam(torch.optim.Adam(net.parameters(), lr=0.0), 0.1)
answers = []
for _ in range(3):
    o.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    o.step()
    answers.append(loss.item())
net = made(3, 1)
s = SAM(net.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
for _ in range(3):
    loss = F.mse_loss(net(x), y)
    loss.backward()
    s.first_step(zero_grad=True)
    F.mse_loss(net(x), y).backward()
    s.second_step(zero_grad=True)
    answers.append(loss.item())
""",
    "hooks of steps": NETWORK
    + """
net = made(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
seen = []
h = opt.register_step_post_hook(lambda o, args, kwargs: seen.append("post"))
h2 = opt.register_step_pre_hook(lambda o, args, kwargs: seen.append("pre"))
answers = []
for i in range(3):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    if i == 1:
        h.remove()
    answers.append(loss.item())
answers.append(seen)
""",
    "the state of optimizers": NETWORK
    + """
net = made(3, 1)
answers = []
p = list(net.parameters())
optimizers = [torch.optim.Adam(p, lr=0.1), torch.optim.SGD(p, lr=0.1, momentum=0.9), torch.optim.AdamW(p, lr=0.1)]
optimizers += [torch.optim.Adagrad(p, lr=0.01), torch.optim.SGD(p, lr=0.1)]
for o in optimizers:
    for _ in range(2):
        o.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        o.step()
    d = o.state_dict()
    answers.append(sorted(d))
    answers.append([sorted(s) for s in d["state"].values()])
    answers.append([g["lr"] for g in d["param_groups"]])
    answers.append([g["params"] for g in d["param_groups"]])
    for s in d["state"].values():
        for k in sorted(s):
            v = s[k]
            answers.append([k, v.tolist() if isinstance(v, torch.Tensor) else v])
""",
    "the state of an optimizer that goes on": NETWORK
    + """
def loop(net, o, n=2):
    out = []
    for _ in range(n):
        o.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        o.step()
        out.append(loss.item())
    return out
net = made(3, 1)
o = torch.optim.Adam(net.parameters(), lr=0.1)
answers = [loop(net, o)]
ck = {"model": net.state_dict(), "opt": o.state_dict()}
net2 = made(3, 1)
o2 = torch.optim.Adam(net2.parameters(), lr=0.3)
net2.load_state_dict(ck["model"])
o2.load_state_dict(ck["opt"])
for s in o2.state.values():
    for k, v in s.items():
        if isinstance(v, torch.Tensor):
            s[k] = v.to("cpu")
answers += [loop(net2, o2), len(o2.state), o2.state[net2[0].weight]["exp_avg"].tolist()]
""",
    "the state of schedulers": """
answers = []
def made(kind, *args, **kw):
    o = torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.5, momentum=0.9)
    s = kind(o, *args, **kw)
    o.step(); s.step()
    return s
L = torch.optim.lr_scheduler
schedulers = [made(L.StepLR, 2), made(L.ExponentialLR, 0.9), made(L.CosineAnnealingLR, 4), made(L.MultiStepLR, [1, 4])]
schedulers += [made(L.LinearLR), made(L.ConstantLR), made(L.PolynomialLR), made(L.LambdaLR, lambda e: 0.9 ** e)]
for s in schedulers:
    d = s.state_dict()
    answers.append([d["last_epoch"], d["base_lrs"], d["_last_lr"], d["_step_count"]])
d = made(L.StepLR, 2).state_dict()
answers.append([d["step_size"], d["gamma"]])
answers.append(sorted(d))
d = made(L.CosineAnnealingLR, 4).state_dict()
answers.append([d["T_max"], d["eta_min"]])
s = L.ReduceLROnPlateau(torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.5), patience=1)
s.step(1.0)
d = s.state_dict()
answers.append([d["best"], d["num_bad_epochs"], d["patience"], d["factor"], d["mode"]])
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_training_gives_the_same_answers(name: str) -> None:
    assert_same_answers(f"{BEGIN}{PROGRAMS[name]}", 2e-5)


def test_a_scheduler_of_an_optimizer_with_its_own_step_is_refused() -> None:
    text = (
        "class Own(torch.optim.Optimizer):\n    def __init__(self, params):\n        super().__init__(params, dict(lr=0.1))\n\n"
        "optimizer = Own(net.parameters())\nscheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)\n"
    )
    (reason,) = reasons(text)
    assert "set group['lr'] in the loop" in reason


def test_a_gradient_of_nothing_that_is_trained_is_refused() -> None:
    (reason,) = reasons("def f(x):\n    loss = (lambda v: v)(x)\n    loss.backward()\n")
    assert "the source does not show what is trained" in reason
