"""Names and attributes that are not called: values, classes, annotations and what is asked of a device."""

import pytest
from converted_programs import assert_same_answers
from converted_text import HEAD, body, converted

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.diagnostics import MARK


def test_an_object_that_is_not_asked_goes_with_what_is_converted_in_it():
    converted = "d = _Device(mindspore.get_context('device_target').lower())\n"
    assert body("d = torch.empty(0, device=torch.device('cpu')).device\n").endswith(converted)


def test_a_module_of_torch_that_is_passed_on_is_refused():
    done = convert("import torch\nimport torch.nn.functional as F\nfrom torch import nn\nf = getattr(F, name, None)\n")
    reason = "torch.nn.functional is a namespace; write what is used of it, as in `f = torch.nn.functional.relu`"
    assert done.todo == [(4, reason)]
    assert done.text == f"import torch.nn.functional as F\n{MARK}{reason}\nf = getattr(F, name, None)\n"


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("Optional[torch.LongTensor]", "Optional[mindspore.Tensor]"),
        ("nn.Embedding", "mint.nn.Embedding"),
        ("nn.Module", "nn.Cell"),
        ("torch.dtype", "mindspore.Type"),
        ("nn.CTCLoss", "nn.Cell"),
    ],
)
def test_annotations_name_types(annotation, expected):
    assert body(f"def f(x: {annotation}) -> {annotation}: ...\ny: {annotation}\n") == (
        f"def f(x: {expected}) -> {expected}: ...\ny: {expected}\n"
    )


def test_forward_as_a_value():
    text = "class Net(nn.Module):\n    def f(self):\n        return check(self.forward, self.forward(1))\n"
    assert "return check(self.construct, self.construct(1))" in body(text)
    text = "class Mixin:\n    def f(self):\n        return check(self.forward)\n"
    assert "return check(self.construct)" in body(text)
    text = "class Own:\n    def forward(self): ...\n    def f(self):\n        return self.forward\n"
    assert body(text) == text


def test_methods_as_values():
    assert body("f = torch.Tensor.item\ng = torch.Tensor.size\n") == (
        "f = mindspore.Tensor.item\ng = (lambda self: self.shape)\n"
    )


def test_the_device_of_what_may_be_a_tensor():
    text = "def f(x, y):\n    return x.device.type, torch.zeros(2, device=y.device), y.device\n"
    assert "return _device_of(x).type, mint.zeros((2,)), y.device\n" in body(text)


@pytest.mark.parametrize("text", ["torch.Tensor.gather = f\n", "del nn.Linear\n", "for torch.relu in fs: ...\n"])
def test_what_replaces_a_function_of_torch_is_told_of(text):
    done = convert(HEAD + text)
    assert "is assigned: this has no effect on calls of its counterpart" in done.todo[0][1]
    assert text in done.text


def test_forward_of_a_class_that_is_asked_for():
    text = "class Net(nn.Module):\n    def f(self):\n        return type(self).forward is g\n"
    assert "return type(self).construct is g" in body(text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("f = nn.ReLU", "f = _ReLU"),
        ("f = nn.BatchNorm2d", "f = mint.nn.BatchNorm2d"),
        ("f = torch.nn.functional.mse_loss", "f = mint.nn.functional.mse_loss"),
        ("isinstance(m, nn.ReLU)", "isinstance(m, mint.nn.ReLU)"),
        ("isinstance(m, (nn.Conv2d, nn.LeakyReLU))", "isinstance(m, (mint.nn.Conv2d, nn.LeakyReLU))"),
    ],
)
def test_class_as_value(line, expected):
    assert converted(line)[-1] == expected


def test_function_is_no_class():
    result = convert(HEAD + "isinstance(m, nn.CTCLoss)\n")
    assert [line for line, _ in result.todo] == [3]
    assert "torch.nn.CTCLoss is a function in MindSpore" in result.todo[0][1]


@pytest.mark.parametrize(
    "chosen",
    ["F.relu if kind else F.gelu", "F.gelu", "torch.tanh", "{'a': F.silu, 'b': torch.sigmoid}['a']", "other or F.softplus",
     "(F.relu, F.gelu)[1]", "nn.ReLU() if kind else F.gelu", "functools.partial(F.leaky_relu, negative_slope=0.3)"],
)  # fmt: skip
def test_a_function_that_a_name_or_attribute_holds_is_called(chosen):
    assert_same_answers(f"""
import functools
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self, kind=1, other=None):
        super().__init__()
        self.act = {chosen}
    def forward(self, x):
        return self.act(x) + 1

def of(x, kind=0, other=None):
    act = {chosen}
    return act(x)

x = torch.tensor([-1.0, 0.5, 2.0])
answers = [Net()(x).tolist(), of(x).tolist()]
""")
