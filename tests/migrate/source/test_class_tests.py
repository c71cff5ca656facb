"""A class of torch that a program compares stays a class, whichever way the comparison is written."""

import ast

import pytest

from sporax._src.migrate.source.class_tests import ClassTests
from sporax._src.migrate.source.convert import convert

# `nn.Embedding` has other parameters in MindSpore, so as a value it becomes a function.
ASKED = {
    "the operand of isinstance": "def f(m):\n    return isinstance(m, (nn.Embedding, nn.Linear))\n",
    "the type of an object": "def f(m):\n    return type(m) == nn.Embedding\n",
    "one of several types": "def f(m):\n    return type(m) not in [nn.Embedding]\n",
    "the class of an object": "def f(m):\n    return nn.Embedding is m.__class__\n",
    "a variable": "kinds = (nn.LayerNorm,) + (nn.Embedding,)\ndef f(m):\n    return isinstance(m, kinds)\n",
    "a variable of a variable": "a = [nn.Embedding]\nb = tuple(a)\ndef f(m):\n    return issubclass(m, b)\n",
    "an attribute": "class A:\n    kinds = nn.Embedding\n    def f(self, m):\n        return isinstance(m, self.kinds)\n",
    "a default": "def f(m, *, kinds=(nn.Embedding,)):\n    return isinstance(m, kinds)\n",
    "an argument": "def f(m, kinds):\n    return isinstance(m, kinds)\nf(0, kinds=nn.Embedding)\n",
    "what a loop runs over": "def f(m):\n    return any(isinstance(m, k) for k in (nn.Embedding, nn.Linear))\n",
    "a union": "def f(m):\n    return isinstance(m, nn.Embedding | nn.Linear)\n",
    "the key of a dict": "rules = {nn.Embedding: 1}\ndef f(m):\n    return rules[type(m)]\n",
}
CALLED = {
    "a function": "make = nn.Embedding\nlayer = make(3, 4)\n",
    "a value of a dict": "layers = {'e': nn.Embedding}\nlayer = layers['e'](3, 4)\n",
    "another name": "kinds = (nn.Linear,)\nmake = nn.Embedding\ndef f(m):\n    return isinstance(m, kinds)\n",
}


@pytest.mark.parametrize("name", ASKED)
def test_asked(name):
    converted = convert(f"from torch import nn\n{ASKED[name]}")
    assert "mint.nn.Embedding" in converted.text and "lambda" not in converted.text
    assert not converted.todo


@pytest.mark.parametrize("name", CALLED)
def test_called(name):
    converted = convert(f"from torch import nn\n{CALLED[name]}")
    assert "lambda num_embeddings" in converted.text
    assert not converted.todo


def test_one_variable_for_both_is_refused():
    source = "from torch import nn\nKind = nn.Embedding\ndef f(m):\n    return isinstance(m, Kind) or Kind(3, 4)\n"
    converted = convert(source)
    assert converted.todo and "Kind = nn.Embedding" in converted.text
    assert "one variable with torch.nn.Embedding is called and compared with the classes of objects" in converted.text


def test_both_through_a_class_with_the_same_parameters():
    """Where the counterpart takes the same arguments, one variable serves for both."""
    source = "from torch import nn\nKind = nn.Tanh\ndef f(m):\n    return isinstance(m, Kind) or Kind()\n"
    converted = convert(source)
    assert not converted.todo and "Kind = mint.nn.Tanh" in converted.text


def test_the_names_that_are_asked_about():
    tree = ast.parse(
        "kinds = A\nisinstance(x, kinds)\nother = B\nisinstance(x, other) or other()\nthird = C\nthird()\n"
    )
    tests = ClassTests(tree)
    values = {ast.unparse(node.value): node.value for node in tree.body if isinstance(node, ast.Assign)}
    assert [tests.asks_about(values[name]) for name in "ABC"] == [True, False, False]
    assert [tests.asks_and_calls(values[name]) for name in "ABC"] == [False, True, False]
