"""The kinds of values that operators, literals and indices give: seen in what is written where they matter."""

import pytest
from converted_programs import assert_same_answers
from converted_text import body


@pytest.mark.parametrize(
    ("value", "is_whole"),
    [
        ("torch.tensor([1, 2])", True),
        ("torch.tensor([1, [2]])", True),
        ("torch.tensor([1, 2.0])", False),
        ("torch.tensor([1]) + 1", True),
        ("torch.tensor([1]) + 1.5", False),
        ("torch.tensor([1]) / 2", False),
        ("torch.tensor([1]) // 2", True),
        ("-torch.tensor([1])", True),
        ("torch.tensor([[1]])[0]", True),
        ("torch.tensor([1]) if test else torch.tensor([2])", True),
        ("torch.tensor([1]) if test else torch.ones([2])", False),
    ],
)
def test_whole_numbers_are_known_through_operators(value: str, is_whole: bool) -> None:
    """`mint.exp` takes floats alone."""
    assert (".float()" in body(f"y = torch.exp({value})\n")) is is_whole


def test_bits_are_inverted_and_truth_values_are_not() -> None:
    assert body("x = torch.ones([2])\ny = ~x.int()\n") == "x = mint.ones([2])\ny = mint.bitwise_not(x.int())\n"
    for text in ("y = ~(torch.ones([2]) > 1)", "y = ~3", "y = ~x"):
        assert body(f"{text}\n") == f"{text}\n".replace("torch.ones", "mint.ones")


def test_an_element_of_a_size_is_a_number_and_a_part_is_a_size() -> None:
    text = "n = torch.ones([2, 3]).size()\ny = torch.ones(n[0])\nz = torch.ones(n[:1])\n"
    assert body(text) == "n = mint.ones([2, 3]).shape\ny = mint.ones((n[0],))\nz = mint.ones(n[:1])\n"


@pytest.mark.parametrize("number", ["2 + 3", "int(x)", "-1", "len(x) * 2"])
def test_numbers_are_sizes(number: str) -> None:
    assert body(f"y = torch.ones({number})\n") == f"y = mint.ones(({number},))\n"


@pytest.mark.parametrize(
    "program",
    [
        "def f(n):\n    return n >> 2, n << 1\nanswers = [x.tolist() for x in f(torch.tensor([40, -9]))] + [f(9)]\n",
        "answers = ((torch.tensor([1, 2]) << 1) + (1 << 3)).tolist()\n",
        "def f(x):\n    arange = partial(torch.arange, 1, device=x.device, dtype=torch.float32)\n    return arange(3)\n"
        "answers = f(torch.ones(1)).tolist()\n",
        "class A:\n    mask = None\n    def __init__(self):\n        self.mask = None\n    def of(self, x):\n"
        "        if self.mask is None or self.mask.size(0) != len(x):\n            self.mask = torch.ones(len(x), 2)\n"
        "        return self.mask.size(0), self.mask.sum().item()\n"
        "a = A()\nanswers = [a.of(torch.ones(3)), a.of(torch.ones(2))]\n",
    ],
    ids=["shifts", "shifts_of_numbers", "partial", "attribute_from_none"],
)
def test_what_a_value_is_follows_from_its_form(program):
    assert_same_answers(f"import torch\nfrom functools import partial\n{program}")


def test_a_list_in_which_none_may_be_is_one_of_modules_and_none() -> None:
    assert_same_answers(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self, norm=None):\n        super().__init__()\n"
        "        self.layers = nn.ModuleList([nn.ModuleList([norm, nn.Linear(2, 2)]), nn.ModuleList([nn.ReLU(), None])])\n\n"
        "    def forward(self, x):\n        for first, second in self.layers:\n            x = x if first is None else first(x)\n"
        "            x = x if second is None else second(x)\n        return x\n\n\n"
        "net = Net()\nanswers = [list(net(torch.ones(1, 2)).shape), [name for name, _ in net.named_parameters()]]\n"
    )
