"""The arguments of a call bound to a row's left side, and its right side written with them."""

import pytest
from converted_programs import assert_same_answers
from converted_text import body, reasons

from sporax._src.migrate.source.convert import convert


def test_what_says_where_a_tensor_is_goes():
    text = "x = torch.tensor([1.0], device='cuda', requires_grad=True, dtype=torch.float64)\n"
    assert body(text) == "x = mindspore.tensor([1.0], dtype=mindspore.float64)\n"


@pytest.mark.parametrize(
    ("call", "converted"),
    [
        ("torch.zeros(2, n, **k)", "mint.zeros((2, n), **k)"),
        ("torch.zeros(n, **k)", "mint.zeros(n, **k)"),
        ("torch.nn.Linear(2, 3, bias=False, **k)", "mint.nn.Linear(2, 3, bias=False, **k)"),
        ("net.add_module(*n)", "_add_module(net, *n)"),
        ("net.add_module('a', *n)", "_add_module(net, 'a', *n)"),
    ],
)
def test_arguments_are_passed_on_where_they_are_the_same(call, converted):
    assert body(f"def f(n, **k):\n    return {call}\n") == f"def f(n, **k):\n    return {converted}\n"


def test_keywords_that_may_mean_something_else_are_refused():
    done = convert("import torch\ny = torch.nn.Bilinear(2, 3, 4, **k)\n")
    reason = (
        "torch.nn.Bilinear: arguments that come by * or ** cannot be told apart; write them out, as in `f(x, dim=1)`"
    )
    assert done.todo == [(2, reason)]


def test_arguments_go_with_the_comma_behind_them():
    assert body("torch.cuda.empty_cache()\ntorch.cuda.synchronize(\n    d,\n)\n") == (
        "mindspore.runtime.empty_cache()\nmindspore.runtime.synchronize(\n    )\n"
    )


@pytest.mark.parametrize("call", ["f(x).bernoulli(p)", "f(x).std(dim, unbiased)", "f(x).var(unbiased=u)"])
def test_what_may_be_a_call_of_a_tensor_is_not_guessed(call):
    name = call.split("(")[1].removeprefix("x).")
    assert reasons(f"y = {call}\n") == [
        f"torch.Tensor.{name}: these arguments have no counterpart; `sporax api torch.Tensor.{name}` shows those that "
        f"have one: {call}"
    ]


@pytest.mark.parametrize("call", ["f(x).transpose(2, 0, 1)", "f(x).unsqueeze()", "f(x).std(ddof=1)"])
def test_what_cannot_be_a_call_of_a_tensor_is_anothers(call):
    done = convert(f"import torch\ny = {call}\n")
    assert not done.todo
    assert done.text.endswith(f"y = {call}\n")


def test_several_sizes_are_one_tuple_where_mindspore_takes_one():
    text = "y = torch.ones(2).expand(n, -1)\nz = torch.ones(2).repeat(n, m)\nu = torch.ones(2).expand(*s)\n"
    assert body(text) == (
        "y = mint.ones((2,)).expand((n, -1))\nz = mint.ones((2,)).tile((n, m))\nu = mint.ones((2,)).expand((*s,))\n"
    )


def test_super_is_the_object_where_no_method_is_called():
    text = "class Net(nn.Module):\n    def cuda(self, *args, **kwargs):\n        return super().cuda(*args, **kwargs)\n"
    assert "return self\n" in body(text)
    text = "class Net(nn.Module):\n    def double(self):\n        return super().double()\n"
    assert "return _cast(self, mindspore.float64)\n" in body(text)


@pytest.mark.parametrize("name", ["AdamW", "SGD", "Adam", "NAdam"])
def test_options_of_an_optimizer_that_come_by_two_stars(name: str) -> None:
    """Those that only choose how torch computes the step have no effect."""
    assert_same_answers(
        "import torch\nlayer = torch.nn.Linear(2, 1)\n"
        "extra = dict(weight_decay=0.25, foreach=False) if layer is not None else dict()\n"
        f"optimizer = torch.optim.{name}(layer.parameters(), lr=0.5, **extra)\n"
        "group = optimizer.param_groups[0]\nanswers = [float(group['lr']), float(group['weight_decay'])]\n"
    )


def test_all_arguments_of_an_optimizer_may_come_by_two_stars() -> None:
    assert_same_answers(
        "import torch\nlayer = torch.nn.Linear(2, 1)\n"
        "options = dict(params=list(layer.parameters()), lr=0.5, momentum=0.25, foreach=True)\n"
        "group = torch.optim.SGD(**options).param_groups[0]\nanswers = [float(group['lr']), float(group['momentum'])]\n"
    )


def test_a_layer_that_a_condition_chooses_takes_keywords():
    assert_same_answers("""
import torch
from torch import nn
def make(a):
    return (nn.Conv2d if a else nn.ConvTranspose2d)(3, 4, 3, padding=1, bias=False, stride=2)
def f(kind):
    C = nn.Conv2d if kind else nn.ConvTranspose2d
    return C(in_channels=3, out_channels=4, kernel_size=3, stride=2, padding=1)
x = torch.ones(1, 3, 8, 8)
s = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
results = [list(make(k)(x).shape) for k in (0, 1)] + [list(f(k)(x).shape) for k in (0, 1)]
sums = [(torch.sum if k else torch.mean)(s, dim=1, keepdim=True).tolist() for k in (0, 1)]
answers = [*results, *sums]
""")
