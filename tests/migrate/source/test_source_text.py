"""Edits of spans of a text: where they are, what they give, and from which line a line comes."""

import pytest
from converted_text import body

from sporax._src.migrate.source.source_text import Edit, Source


def test_lines_before_edits():
    source = Source("a\nb\nc\nd\n")
    edits = [Edit(0, 1, "a1\na2\na3"), Edit(2, 6, "")]
    assert source.edited(edits) == "a1\na2\na3\nd\n"
    assert [source.line_before(edits, line) for line in (1, 2, 3, 4)] == [1, 1, 1, 4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.ones(((2, 3)), device=d)\n", "mint.ones(((2, 3)))\n"),
        ("torch.ones((2,  # rows )\n  3), device=d)\n", "mint.ones((2,  # rows )\n  3))\n"),
        ("torch.cat((a), axis=(1))\n", "mint.cat((a), dim=(1))\n"),
        (
            "x = torch.ones([2])\ny = x\nx += (a + b)\nprint(y)\n",
            "x = mint.ones([2])\ny = x\nx.add_((a + b))\nprint(y)\n",
        ),
    ],
)
def test_parentheses_around_an_argument_stay_with_it(text, expected):
    assert body(text) == expected
