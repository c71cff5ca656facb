"""Targets of assignments and loops have the kind of what they are given."""

from converted_text import body


def test_a_loop_tells_what_its_elements_are():
    text = (
        "def f(net, other):\n    for i, (name, p) in enumerate(net.named_parameters()):\n        p.data = p.data * 2\n"
        "    for p, q in zip(net.parameters(), other.parameters()):\n        p.data = q.data\n"
    )
    assert "p.assign_value(ops.stop_gradient(p) * 2)" in body(text)
    assert "p.assign_value(ops.stop_gradient(q))" in body(text)


def test_each_target_of_a_tuple_has_its_kind() -> None:
    text = "x, (y, z) = torch.ones([2]), (3, torch.ones([1]))\nf(x.size(), y.size(), z.size())\n"
    assert body(text).endswith("f(x.shape, y.size(), z.shape)\n")
    text = "a, *b = torch.max(torch.ones([2]), 0)\nf(a.size(), b.size())\n"
    assert body(text).endswith("f(a.shape, b.size())\n")


def test_an_annotation_and_a_walrus_tell_the_kind() -> None:
    assert body("x: torch.Tensor = f()\nn = x.size()\n").endswith("n = x.shape\n")
    assert body("if (x := torch.ones([2])).size():\n    n = x.size()\n").endswith("n = x.shape\n")


def test_attributes_of_self_are_known_in_other_methods() -> None:
    text = "class A:\n    def __init__(self):\n        self.x = torch.ones([2])\n    def f(self):\n        return self.x.size()\n"
    assert body(text).endswith("return self.x.shape\n")


def test_numbers_of_loops_are_sizes() -> None:
    text = "for i in range(3):\n    torch.ones(i)\nfor i, x in enumerate(y):\n    torch.ones(i)\n"
    assert body(text) == text.replace("torch.ones(i)", "mint.ones((i,))")
