"""What tests of a class, `try` and comprehensions do to the kinds of names."""

import pytest
from converted_text import body

from sporax._src.migrate.source.convert import convert


def test_a_test_of_a_class_tells_the_kind():
    text = "def init(m, x):\n    if isinstance(m, nn.Embedding) and m:\n        m.weight.data[m.padding_idx].zero_()\n"
    assert "        m.weight[m.padding_idx].zero_()" in body(text)
    text = "def f(x, i):\n    if isinstance(x, torch.Tensor):\n        x.data[0].zero_()\n    x.data.foo()\n"
    assert "        _data(x)[0].zero_()" in body(text)
    text = "def f(m):\n    if isinstance(m, (nn.Conv2d, nn.Linear)):\n        m.train(False)\n"
    assert "m.set_train(False)" in body(text)


@pytest.mark.parametrize(
    "text",
    [
        "if found:\n    if found:\n        from torch.nn import Linear\nelse:\n    Linear = str\nclass Net(Linear): ...\n",
        "try:\n    from torch.nn import Linear\nexcept ImportError:\n    Linear = None\nclass Net(Linear): ...\n",
    ],
)
def test_a_name_that_is_imported_where_it_can_be(text):
    assert "class Net(mint.nn.Linear): ...\n" in convert(text).text


def test_the_kind_holds_in_the_branch_alone() -> None:
    text = "def f(x):\n    if isinstance(x, torch.Tensor):\n        a = ~x\n    else:\n        b = ~x\n    return ~x\n"
    assert body(text) == text.replace("a = ~x", "a = mint.bitwise_not(x)").replace("torch.T", "mindspore.T")


def test_names_of_comprehensions_and_lambdas_are_their_own() -> None:
    text = "f = lambda torch: torch.cat([])\n"
    assert body(text) == text
    text = "x = 1\ny = [x.size() for x in torch.ones([3])]\nz = x.size()\n"
    assert body(text) == "x = 1\ny = [x.shape for x in mint.ones([3])]\nz = x.size()\n"
