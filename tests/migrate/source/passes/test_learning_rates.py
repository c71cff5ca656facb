"""What a program sets in `param_groups` changes the Parameter that is the learning rate."""

import pytest
from converted_text import body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("opt.param_groups[0]['lr'] = 0.1", "_set_learning_rate(opt.param_groups[0], 0.1)"),
        ("opt.param_groups[i]['lr'] -= a", "_set_learning_rate(opt.param_groups[i], opt.param_groups[i]['lr'] - a)"),
        ("opt.param_groups[0]['lr'] /= a + b", "_set_learning_rate(opt.param_groups[0], opt.param_groups[0]['lr'] / (a + b))"),
    ],
)  # fmt: skip
def test_a_rate_of_a_group_is_set(text: str, expected: str) -> None:
    assert body(f"{text}\n") == f"{expected}\n"


def test_the_group_of_a_loop_is_known() -> None:
    text = "for i, g in enumerate(opt.param_groups):\n    g['lr'] *= 2\n"
    assert body(text) == text.replace("g['lr'] *= 2", "_set_learning_rate(g, g['lr'] * 2)")
    text = "[print(g) for g in opt.param_groups]\ng['lr'] = 1\n"
    assert body(text) == text.replace("g['lr'] = 1", "_set_learning_rate(g, 1)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rate = opt.param_groups[0]['lr']", "rate = float(opt.param_groups[0]['lr'])"),
        ("rates = [g['lr'] for g in opt.param_groups]", "rates = [float(g['lr']) for g in opt.param_groups]"),
        ("print(f\"{opt.param_groups[0]['lr']}\")", "print(f\"{float(opt.param_groups[0]['lr'])}\")"),
    ],
)
def test_a_rate_that_is_read_is_a_number(text: str, expected: str) -> None:
    assert body(f"{text}\n") == f"{expected}\n"


@pytest.mark.parametrize(
    "text",
    [
        "config['lr'] = 0.1",
        "opt.param_groups[0]['weight_decay'] = 0.1",
        "opt.param_groups[0]['lr'] **= 2",
        "rate = opt.param_groups[0]['lr'].item()",
        "rate = float(opt.param_groups[0]['lr'])",
        "opt.others[0]['lr'] = 0.1",
    ],
)
def test_what_is_no_learning_rate_stays(text: str) -> None:
    assert body(f"{text}\n") == f"{text}\n"
