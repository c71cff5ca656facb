"""What a converted file makes of Modules: layers as values, kinds that are asked for, training, methods known by name alone."""

import pytest
from converted_programs import execute

import sporax as ms
from sporax._src.migrate.source.convert import convert

HEAD = "import torch\nfrom torch import nn\n"


def converted(*lines):
    result = convert(HEAD + "\n".join(lines) + "\n")
    assert not result.todo
    return result.text.splitlines()


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
    ("line", "expected"),
    [
        ("m = nn.Linear(2, 3)", "m = mint.nn.Linear(2, 3)"),
        ("m = nn.Dropout(0.1)", "m = mint.nn.Dropout(0.1).set_train()"),
        ("m = nn.Sequential(nn.Tanh())", "m = nn.SequentialCell(mint.nn.Tanh()).set_train()"),
    ],
)
def test_new_layer_trains_where_it_matters(line, expected):
    assert converted(line)[-1] == expected


def test_the_rounding_of_float32_is_the_contexts():
    before = {name: ms.get_context(name) for name in ("matmul_allow_tf32", "conv_allow_tf32")}
    done = convert(
        HEAD
        + "torch.set_float32_matmul_precision('high')\n"
        + "torch.backends.cudnn.allow_tf32 = False\n"
        + "seen = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32\n"
    )
    try:
        execute(done, scope := {})
        assert scope["seen"] == (True, False)
        assert ms.get_context("matmul_allow_tf32") and not ms.get_context("conv_allow_tf32")
    finally:
        ms.set_context(**before)


def test_method_of_an_unknown_object():
    assert converted("def evaluate(net):", "    net.eval()")[-1] == "    net.set_train(False)"


def test_method_that_a_class_of_the_file_has_too():
    lines = ("class Agent:", "    def train(self): ...", "def run(agent):", "    agent.train()")
    assert converted(*lines)[-1] == "    agent.set_train() if isinstance(agent, nn.Cell) else agent.train()"


def test_overridden_methods():
    lines = (
        "class Net(nn.Module):",
        "    def extra_repr(self):",
        "        return ''",
        "    def train(self, mode=True):",
        "        return self",
    )
    text = "\n".join(converted(*lines))
    assert "def extend_repr(self)" in text
    assert "def set_train(self, mode=True)" in text
