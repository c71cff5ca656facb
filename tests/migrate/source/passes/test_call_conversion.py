"""One call by its rows: what is passed to optimizers, made a float, assigned to `out` and set to training."""

import pytest
from converted_programs import assert_same_answers
from converted_text import HEAD, body, converted, reasons

from sporax._src.migrate.source.convert import convert


@pytest.mark.parametrize(
    ("torch_text", "converted"),
    [
        ("torch.add(a, b, out=c)", "c = mint.add(a, b)"),
        ("r = torch.add(a, b, out=c)", "r = c = mint.add(a, b)"),
        ("f(torch.add(a, b, out=c))", "f((c := mint.add(a, b)))"),
    ],
)
def test_out_is_assigned(torch_text, converted):
    assert body(f"c = torch.empty(2)\n{torch_text}\n") == f"c = mint.empty((2,))\n{converted}\n"


@pytest.mark.parametrize(
    ("torch_text", "converted"),
    [
        ("torch.add(a, b, out=c)", "c.copy_(mint.add(a, b))"),
        ("r = torch.add(a, b, out=c)", "r = c.copy_(mint.add(a, b))"),
        ("f(torch.add(a, b, out=c))", "f(c.copy_(mint.add(a, b)))"),
    ],
)
def test_out_is_written_if_it_may_have_another_name(torch_text, converted):
    assert body(f"{torch_text}\n") == f"{converted}\n"


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("o = torch.optim.SGD(ps,\n    lr=1)", "o = mindspore.experimental.optim.SGD(_distinct(ps),\n    lr=1)"),
        ("o = torch.optim.SGD(lr=1, params=ps)", "o = mindspore.experimental.optim.SGD(lr=1, params=_distinct(ps))"),
        ("o = torch.optim.SGD(p for p in ps)", "o = mindspore.experimental.optim.SGD(_distinct(p for p in ps))"),
    ],
)
def test_a_helper_around_an_argument_keeps_the_layout(text, converted):
    assert body(f"{text}\n") == f"{converted}\n"


def test_an_optimizer_of_one_network_reads_as_one_writes_it() -> None:
    """Parameters of several networks may have equal names, what is frozen may be trained later: helpers see to that."""
    head = "import itertools\nimport torch\n\na, b = torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)\n"
    plain = convert(head + "opt = torch.optim.SGD(a.parameters(), lr=0.1)\n").text
    assert "opt = mindspore.experimental.optim.SGD(a.trainable_params(), lr=0.1)" in plain
    assert "def _" not in plain
    several = convert(head + "opt = torch.optim.SGD(itertools.chain(a.parameters(), b.parameters()), lr=0.1)\n").text
    assert "SGD(_distinct(itertools.chain(_parameters(a), _parameters(b))), lr=0.1)" in several
    assert several.count("import itertools") == 1
    filtered = convert(head + "opt = torch.optim.SGD(p for p in a.parameters())\n").text
    assert "SGD(_distinct(p for p in _parameters(a)))" in filtered
    frozen = convert(head + "a.weight.requires_grad = False\nopt = torch.optim.SGD(a.parameters(), lr=0.1)\n").text
    assert "SGD(_distinct(_parameters(a)), lr=0.1)" in frozen


@pytest.mark.parametrize(
    ("torch_text", "converted"),
    [
        ("y = torch.exp(torch.arange(3) * 2)\n", "y = mint.exp((mint.arange(end=3) * 2).float())\n"),
        ("y = torch.tensor([1, 2])[1:].log()\n", "y = mindspore.tensor([1, 2])[1:].float().log()\n"),
        ("y = x.argmax(0).sin()\n", "y = x.argmax(0).float().sin()\n"),
        ("for i in torch.arange(3):\n    i.exp()\n", "for i in mint.arange(end=3):\n    i.float().exp()\n"),
        ("y = (torch.arange(3) / 2).exp()\n", "y = (mint.arange(end=3) / 2).exp()\n"),
        (
            "y = torch.tensor([1], dtype=torch.half).exp()\n",
            "y = mindspore.tensor([1], dtype=mindspore.float16).exp()\n",
        ),
    ],
)
def test_whole_numbers_become_floats_where_mindspore_takes_floats_alone(torch_text, converted):
    assert body(torch_text) == converted


def test_a_known_object_is_told_of():
    (todo,) = convert(f"{HEAD}x = torch.ones(2)\nx.transpose(2, 0, 1)\n").todo
    assert "torch.Tensor.transpose: these arguments have no counterpart" in todo[1]


@pytest.mark.parametrize(
    ("base", "given", "expected_base", "expected"),
    [
        ("Embedding", "a, b, padding_idx=c, sparse=True", "mint.nn.Embedding", "a, b, padding_idx=c"),
        ("Linear", "a, b, bias=False, device=d", "mint.nn.Linear", "a, b, bias=False"),
        ("LeakyReLU", "0.1", "_LeakyReLU", "0.1"),
        ("LayerNorm", "*a, **b", "mint.nn.LayerNorm", "*a, **b"),
    ],
)
def test_a_layer_to_derive_from_and_its_arguments(base, given, expected_base, expected):
    text = f"class Own(nn.{base}):\n    def __init__(self, a, b, c, d):\n        super().__init__({given})\n"
    own = text.replace(f"nn.{base}", expected_base).replace(given, expected)
    assert body(text) == f"{own}        _new_module(self)\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("self.b = nn.Buffer(torch.ones([2]), persistent=False)", 'self.register_buffer("b", mint.ones([2]), False)'),
        ("self.b = nn.Buffer(x)", 'self.register_buffer("b", x)'),
    ],
)
def test_a_buffer_is_registered(line, expected):
    text = f"class Net(nn.Module):\n    def __init__(self, x):\n        {line}\n"
    assert f"        {expected}\n" in body(text)


def test_a_buffer_without_a_name_is_told_of():
    (todo,) = convert(f"{HEAD}f(nn.Buffer(x))\n").todo
    assert "a Cell's buffer is made by register_buffer" in todo[1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("m = nn.Linear(2, 3)", "m = mint.nn.Linear(2, 3)"),
        ("m = nn.Dropout(0.1)", "m = mint.nn.Dropout(0.1).set_train()"),
        ("m = nn.Sequential(nn.Tanh())", "m = nn.SequentialCell(mint.nn.Tanh()).set_train()"),
    ],
)
def test_new_layer_trains_where_it_matters(line, expected):
    assert converted(line)[-1] == expected


@pytest.mark.parametrize(
    "value",
    [
        "torch.bincount(k)",
        "k.reshape(3, 1)",
        "torch.cat([k, k])",
        "torch.full((2,), 3)",
        "torch.ones(2, dtype=torch.long)",
        "k.to(torch.int32)",
        "k.clone().sum()",
        "torch.tensor([3, 4]).max()",
    ],
)
def test_functions_of_floats_take_whole_numbers(value: str) -> None:
    assert_same_answers(f"import torch\nk = torch.tensor([1, 2, 5])\nanswers = torch.log({value}).tolist()\n")


def test_parts_of_complex_values_of_an_unknown_kind() -> None:
    assert_same_answers(
        "import torch\n\ndef parts(z):\n    return z.real, z.imag\n\nz = torch.fft.rfft(torch.arange(4.0))\n"
        "answers = [[part.tolist() for part in parts(z)], *parts(3 + 4j), *parts(1.5)]\n"
    )


def test_a_part_of_a_complex_tensor_is_not_assigned() -> None:
    (reason,) = reasons("z = torch.zeros(2, dtype=torch.cfloat)\nz.real = x\n")
    assert "make the Tensor of both parts with torch.complex(real, imag)" in reason


def test_sizes_that_numpy_computes_become_numbers_of_python():
    text = """
import numpy as np
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, shape):
        super().__init__()
        size = np.array(shape).prod()
        self.first = nn.Linear(size, np.prod(shape) + 1)
        self.drop = nn.Dropout(np.sqrt(0.25))

answers = [list(p.shape) for p in Net((2, 3)).parameters()]
"""
    assert_same_answers(text)
    assert "int(size), int(np.prod(shape) + 1)" in convert(text).text
    assert "Dropout(np.sqrt(0.25))" in convert(text).text
