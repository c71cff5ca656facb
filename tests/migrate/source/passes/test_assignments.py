"""Targets of assignments and loops have the kind of what they are given."""

from converted_text import body


def test_a_loop_tells_what_its_elements_are():
    text = (
        "def f(net, other):\n    for i, (name, p) in enumerate(net.named_parameters()):\n        p.data = p.data * 2\n"
        "    for p, q in zip(net.parameters(), other.parameters()):\n        p.data = q.data\n"
    )
    assert "p.assign_value(ops.stop_gradient(p) * 2)" in body(text)
    assert "p.assign_value(ops.stop_gradient(q))" in body(text)
