"""What statements read, assign and call."""

from converted_text import body


def test_parameters_of_a_forward_that_are_known_otherwise():
    text = "class Net(nn.Module):\n    def forward(self, x, flag=False, kind: Kind = None):\n        return x, ~flag, ~kind\n"
    assert "return x, ~flag, ~kind" in body(text)
