"""Writes into Tensors that have other names: all of them show what is written, as in torch."""

import pytest
from converted_programs import assert_same_answers
from converted_text import body

from sporax._src.migrate.source.convert import convert

HEAD = "import torch\nfrom torch import nn\nx = torch.arange(12.0).reshape(3, 4) + 1\n"


def sections(text: str) -> dict[str, str]:
    """Return the programs of a text by their titles, which are the comments above them."""
    pieces = text.split("\n# ")[1:]
    return {title: program for title, _, program in (piece.partition("\n") for piece in pieces)}


OTHERS_SEE = sections(
    """
# argument
def bump(v):
    v += 1
bump(x)
answers = x.tolist()

# argument of a known kind
def bump(v: torch.Tensor):
    v -= 1
bump(x)
answers = x.tolist()

# view as an argument
def double(v):
    v *= 2
double(x[0])
answers = x.tolist()

# rows
for row in x:
    row += 1
answers = x.tolist()

# items of a list
parts = [torch.zeros(2), torch.ones(2)]
for t in parts:
    t += 1
answers = [t.tolist() for t in parts]

# values of a dict
d = {'w': torch.zeros(2)}
for k, v in d.items():
    v -= 1
answers = d['w'].tolist()

# numbers in a dict
d = {'n': 0}
for k, v in d.items():
    v += 1
answers = d['n']

# item of a dict
d = {'w': torch.zeros(2)}
w = d['w']
w += 1
d['w'] += 2
answers = [w.tolist(), d['w'].tolist()]

# counter
from collections import defaultdict
c = defaultdict(int)
for k in 'aab':
    c[k] += 1
answers = [c['a'], c['b']]

# attribute
class A:
    def __init__(self):
        self.b = torch.zeros(2)
    def add(self):
        b = self.b
        b += 1
a = A()
old = a.b
a.add()
a.b += 2
answers = [a.b.tolist(), old.tolist()]

# number as an attribute
class A:
    def __init__(self, n):
        self.n = n
a = A(1)
old = a.n
a.n += 2
answers = [a.n, old]

# stored before
seen = []
y = x * 2
seen.append(y)
y += 1
answers = seen[0].tolist()

# sum in a list
seen, total = [], 0
for i in range(3):
    total += x.sum()
    seen.append(total)
answers = [s.item() for s in seen]

# name
y = x
y **= 2
answers = x.tolist()

# view
y = x.t()[1]
y /= 2
answers = x.tolist()

# view read later
y = x.view(-1)
x += 5
answers = y.tolist()

# pieces
a, b = x.chunk(2, 1)
a += 1
b *= 2
answers = x.tolist()

# in a loop
y = x * 1
z = y
for i in range(3):
    y += i
answers = [y.tolist(), z.tolist()]

# branch
y = x if x.sum() > 0 else x * 2
y += 1
answers = x.tolist()

# either
y = None or x
y += 1
answers = x.tolist()

# bits
y = x > 3
z = y
z &= x < 9
w = (x * 1).int()
v = w
v |= 1
v <<= 2
answers = [y.int().tolist(), w.tolist()]

# detached
y = x.detach()
y += 1
x.detach()[0] = 7
answers = x.tolist()

# identity
y = nn.Identity()(x)
y += 1
answers = x.tolist()

# layer in a class
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        y = self.drop(x)
        y += 1
        return y + x
answers = N().eval()(x).tolist()

# residual
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4) * 3
    def forward(self, x):
        x += self.scale
        return x
y = N()(x)
answers = [x.tolist(), y.tolist()]

# buffer
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('n', torch.zeros(2))
    def forward(self, x):
        n = self.n
        self.n += 1
        n[0] += 2
        return n
net = N()
kept = net.state_dict()['n']
net(x)
answers = [net.n.tolist(), kept.tolist()]

# cache of keys
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = [torch.zeros(3, 2) for _ in range(2)]
    def forward(self, x, i):
        self.k[i].copy_(x)
        self.k[i][0] += 1
        return self.k
answers = [k.tolist() for k in N()(torch.ones(3, 2), 1)]

# leaf
w = torch.ones(2, requires_grad=True)
(w * 3).sum().backward()
with torch.no_grad():
    w -= 0.1 * w.grad
answers = w.tolist()

# initialized part
p = nn.Parameter(torch.zeros(4))
nn.init.constant_(p[2:], 1.0)
p.data[:2].fill_(3)
answers = p.tolist()

# tuple
def f(v, w):
    v += (1, 2)
    return v
answers = list(f((0,), 1))

# text
def f(v):
    v += 'b'
    return v
answers = f('a')

# matrix product
def f(v):
    v @= v.t()
    return v
answers = [f(x).tolist(), x.tolist()]

# generator
def rows():
    y = x * 1
    yield y
    y += 1
    yield y
answers = [y.tolist() for y in list(rows())]

# with
import contextlib
with contextlib.nullcontext(x) as y:
    y += 1
answers = x.tolist()
"""
)


@pytest.mark.parametrize("program", OTHERS_SEE.values(), ids=OTHERS_SEE)
def test_other_names_show_what_is_written(program):
    assert_same_answers(f"{HEAD}{program}\n", targets=("mint",))


NOBODY_SEES = sections(
    """
# operator
y = x @ x.t()
y /= 8

# layer
y = nn.Conv2d(1, 1, 1)(x[None, None])
y += 1

# numbers
n = 0
for i in range(3):
    n += i
    n += x.sum().item()

# number that becomes a Tensor
n = 0
for i in range(3):
    n += x.sum()
n /= 3

# element
x[0] += 1

# texts
s = ''
for i in range(2):
    s += f'{i}'

# counters
n = [0] * 4
n[1] += 1

# number of a class
class A:
    n = 0
    def f(self):
        self.n += 1

# number of an object
class A:
    def __init__(self):
        self.n = 0
    def f(self):
        self.n += 1
"""
)


@pytest.mark.parametrize("program", NOBODY_SEES.values(), ids=NOBODY_SEES)
def test_private_tensors_and_numbers_keep_their_operator(program):
    text = convert(f"{HEAD}{program}\n").text
    assert "_iadd" not in text
    assert "add_(" not in text
    assert "div" not in text


def test_residual_of_layers_that_were_passed_in_keeps_its_operator():
    text = """import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, norm, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3)
        self.norm = norm(channels)

    def forward(self, x):
        out = self.norm(self.conv(x))
        out = torch.relu(out)
        out = self.norm(out)
        out += x
        return out
"""
    assert "        out += x\n" in convert(text).text


def test_data_of_an_own_attribute_is_that_attribute():
    text = "import torch\nclass A:\n    def __init__(self):\n        self.data = torch.ones(2)\n\n    def f(self):\n"
    assert "self.data.fill_(0)" in convert(f"{text}        self.data.fill_(0)\n").text


@pytest.mark.parametrize(
    "write",
    [
        "x.data.mul_(3.0)",
        "x.data.masked_fill_(k > 1, 0.5)",
        "x.data[0] = 5.0",
        "x.data[0].add_(k[0])",
        "x.detach().mul_(k)",
        "x.detach()[1] = k[0]",
    ],
)
@pytest.mark.parametrize("known", ["", "x = torch.add(x, 1); "])
def test_no_gradient_passes_through_a_write_into_data(write, known):
    assert_same_answers(
        "import torch\n"
        f"def written(x, k):\n    {known}{write}\n    return x\n"
        "def loss(k):\n    return (written(k * 2, k) * k).sum()\n"
        "k = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)\n"
        "loss(k).backward()\n"
        "answers = [k.grad.tolist()]\n",
        targets=("mint",),
    )


def test_a_parameter_that_is_written_into_by_data_has_its_gradient():
    assert_same_answers(
        "import torch\nfrom torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.loc = nn.Parameter(torch.zeros(2))\n"
        "    def forward(self, x):\n        self.loc.data.copy_(x.mean(0))\n        return (self.loc * x).sum()\n"
        "net = Net()\n"
        "net(torch.tensor([[1.0, 2.0], [3.0, 5.0]])).backward()\n"
        "answers = [net.loc.grad.tolist(), net.loc.tolist()]\n",
        targets=("mint",),
    )


def test_an_object_that_has_data_is_written_into_there():
    assert_same_answers(
        "import torch\nclass Batch:\n    pass\n"
        "def clear(batch):\n    batch.data[0] = 0.0\n    batch.data.mul_(2.0)\n"
        "batch = Batch()\nbatch.data = torch.ones(3)\nclear(batch)\nanswers = [batch.data.tolist()]\n",
        targets=("mint",),
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("m.weight.data.fill_(1)", "_assign(m.gamma, _mint_full_like, 1)"),
        ("m.bias.detach().zero_()", "_assign(m.beta, _mint_zeros_like)"),
        ("m.running_mean.data.zero_()", "_assign(m.moving_mean, _mint_zeros_like)"),
        ("m.weight.data += 1", "m.gamma = _iadd(m.gamma, 1)"),
        ("m.weight.data[0].fill_(0)", "m.gamma[0] = _assign(m.gamma[0], _mint_full_like, 0)"),
    ],
)
def test_a_write_through_data_has_the_name_of_the_target(line: str, expected: str) -> None:
    source = f"def f(m: nn.BatchNorm2d):\n    {line}\n"
    assert body(source, target="classic") == f"def f(m: nn.BatchNorm2d):\n    {expected}\n"
