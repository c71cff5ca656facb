"""Ranges as indices."""

import pytest
from converted_programs import assert_same_answers
from converted_text import converted


@pytest.mark.parametrize("index", ["range(3), y", "range(2)", "[0, 1, 2], y", "y, range(1)", "range(0, 3, 2), :1"])
def test_ranges_are_indices(index):
    assert_same_answers(
        "import torch\n"
        "x = torch.arange(12.0).reshape(3, 4)\n"
        "y = torch.tensor([0, 2, 1])\n"
        f"x[{index}] = x[{index}] * 2\n"
        f"answers = [x[{index}].tolist(), x.tolist()]\n"
    )


def test_a_range_becomes_a_list():
    assert converted("y = x[range(3), k]", "z = f(range(3))[0]") == ["y = x[[*range(3)], k]", "z = f(range(3))[0]"]
