"""Reads of the attributes `grad` and `requires_grad`."""

import pytest
from converted_text import body, reasons

BEGIN = "x = torch.ones(2, requires_grad=True)\ny = x * 2\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("print(x.grad)", 'print(getattr(x, "grad", None))'),
        ("if p.grad is None:\n    pass", 'if getattr(p, "grad", None) is None:\n    pass'),
        ("print(f'{x.grad}')", "print(f'{getattr(x, \"grad\", None)}')"),
        ("z = x.grad * 2", "z = x.grad * 2"),
        ("z = -p.grad[0]", "z = -p.grad[0]"),
    ],
)
def test_a_gradient_is_none_before_the_first(text: str, expected: str) -> None:
    assert body(f"{BEGIN}{text}\n").endswith(f"{expected}\n")


@pytest.mark.parametrize("value", ["y", "(x + 1)", "y[0]"])
def test_a_result_does_not_tell_whether_it_has_a_gradient(value: str) -> None:
    (reason,) = reasons(f"{BEGIN}print({value}.requires_grad)\n")
    assert "does not record what depends on a Tensor with a gradient" in reason


@pytest.mark.parametrize("value", ["x", "torch.ones(2)", "y.detach()"])
def test_a_tensor_that_is_made_tells_it(value: str) -> None:
    assert reasons(f"{BEGIN}print({value}.requires_grad)\n") == []
