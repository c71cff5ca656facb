"""Classes and functions: bases, methods, parameters and decorators."""

from converted_text import body, converted


def test_modules_become_cells():
    text = "class Net(nn.Module):\n    def forward(self, x):\n        return x\nnet = Net()\ny = net.forward(1)\n"
    expected = "class Net(nn.Cell):\n    def construct(self, x):\n        return x\nnet = Net().set_train()\ny = net.construct(1)\n"
    assert body(text) == expected


def test_decorators_that_change_nothing_here_go():
    decorators = "@torch.jit.ignore\n@torch.jit.ignore(drop=True)\n@torch.compiler.disable()\n"
    assert body(f"{decorators}@other\ndef f(x):\n    return x\n") == "@other\ndef f(x):\n    return x\n"


def test_the_first_parameter_of_a_static_method_is_no_object():
    text = "class Own:\n    @staticmethod\n    def f(mask: torch.Tensor):\n        return mask.size()\n"
    assert "return mask.shape" in body(text)


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
