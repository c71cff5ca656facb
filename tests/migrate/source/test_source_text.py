"""Edits of spans of a text: where they are, what they give, and from which line a line comes."""

import pytest
from converted_text import body

from sporax._src.migrate.source.source_text import ConversionFault, Edit, Edits, Source, one_statement_a_line


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


def test_edits_of_a_span() -> None:
    edits = Edits()
    for edit in ((6, 8, "c"), (0, 2, "a"), (3, 5, "b")):
        edits.add(*edit)
    assert [e.text for e in edits] == ["a", "b", "c"]
    assert [e.text for e in edits.within(0, 5)] == ["a", "b"]
    assert edits.cover(4) and not edits.cover(5) and not edits.cover(3)
    assert [e.text for e in edits.take(2, 9)] == ["b", "c"] and [e.text for e in edits] == ["a"]


def test_places_are_in_bytes() -> None:
    source = Source("é = 'ü'; x = 1\n    # deep\n")
    first, second = source.tree.body
    assert (source.text(first), source.text(second)) == ("é = 'ü'", "x = 1")
    assert source.start(second) == 11
    assert source.lines(first) == (0, 17)
    assert source.indentation(20) == "    "


def test_decorators_belong_to_a_definition() -> None:
    source = Source("@a\n@b(1)\ndef f(): ...\n")
    (function,) = source.tree.body
    assert (source.start(function), source.keyword(function)) == (0, 9)


def test_edits_that_overlap_are_a_fault() -> None:
    with pytest.raises(ConversionFault, match="line 2: edits overlap"):
        Source("a\nbcd\n").edited([Edit(0, 4, ""), Edit(3, 5, "")])


def test_each_statement_begins_a_line() -> None:
    text = "if x: a; b\nelse: c\nfor i in y:\n    d; e  # f\nclass A: x = 1; y = ';'\nz;\n"
    lines = ["if x:", "    a", "    b", "else:", "    c", "for i in y:", "    d", "    e  # f", "class A:", "    x = 1",
             "    y = ';'", "z;", ""]  # fmt: skip
    assert one_statement_a_line(text) == "\n".join(lines)
    assert one_statement_a_line("x = (1,\n     2)\ny = 3\n") == "x = (1,\n     2)\ny = 3\n"
    assert one_statement_a_line("def f():\n\tif x: a; b\n") == "def f():\n\tif x:\n\t\ta\n\t\tb\n"


def test_each_line_of_the_edited_text_has_its_line_in_the_source() -> None:
    source, edits = Source("import a\nx = 1\ny = 2\nz = 3\n"), Edits()
    edits.add(0, 8, "import b\nimport c")
    edits.add(9, 9, "# why\n")
    edits.add(15, 21, "")
    assert source.edited(edits) == "import b\nimport c\n# why\nx = 1\nz = 3\n"
    assert source.line_numbers(edits) == [1, 1, 2, 2, 4, 5]
    edits.add(21, 27, "with t:\n    z = 3\n")
    assert source.line_numbers(edits) == [1, 1, 2, 2, 4, 4, 5]


def test_line_numbers_of_a_text_that_does_not_end_its_last_line():
    source, edits = Source("import a\nx = 1"), Edits()
    edits.add(0, 0, "import b\n")
    assert source.line_numbers(edits) == [1, 1, 2]


def test_the_last_line_needs_no_line_break() -> None:
    source, edits = Source("x = 1\ny = 2"), Edits()
    edits.add(10, 11, "3")
    assert source.edited(edits) == "x = 1\ny = 3"
    assert source.line_numbers(edits) == [1, 2]
