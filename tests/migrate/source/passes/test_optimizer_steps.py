"""Steps of optimizers along stored gradients, in any expression."""

import pytest
from converted_text import body

LOOP = "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("losses.append(opt.step(closure).item())", "losses.append(_step(opt, closure).item())"),
        ("loss = opt.step(closure=f)", "loss = _step(opt, f)"),
        ("opt.zero_grad()", "_zero_grad(opt)"),
        ("net.zero_grad()", "_zero_grad(net)"),
        ("scheduler.step()", "scheduler.step()"),
    ],
)
def test_a_step_is_a_call_of_a_helper(text: str, expected: str) -> None:
    assert body(f"{LOOP}{text}\n").endswith(f"{expected}\n")
