"""Tensors that are given to optimizers become Parameters."""

import pytest
from converted_text import body

STEP = "opt = torch.optim.SGD({}, lr=0.1)\n"


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("w = torch.ones([2], requires_grad=True)\n", "[w]", "w = mindspore.Parameter(mint.ones([2]))\n"),
        ("w = torch.ones([2])\nw.requires_grad = True\n", "[w]", "w = mindspore.Parameter(w)\n"),
        ("w = torch.ones([2])\nw.requires_grad_()\n", "[w]", "w = mindspore.Parameter(w)\n"),
        ("w = torch.ones([2], requires_grad=True)\nall = [w]\n", "all", "w = mindspore.Parameter(mint.ones([2]))\n"),
        (
            "w = torch.ones([2], requires_grad=True)\nall = []\nall.append(w)\n",
            "[{'params': all}]",
            "w = mindspore.Parameter(mint.ones([2]))\n",
        ),
    ],
)
def test_what_an_optimizer_changes_is_a_parameter(text: str, given: str, expected: str) -> None:
    assert expected in body(f"{text}{STEP.format(given)}")


def test_other_tensors_with_gradients_stay_tensors() -> None:
    text = f"w = torch.ones([2], requires_grad=True)\nx = torch.ones([2], requires_grad=True)\n{STEP.format('[w]')}"
    assert "x = mint.ones([2])\n" in body(text)
