"""What the conversion of a file reports: counts, notes, and comments above what is left to do."""

from pathlib import Path

import pytest

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.diagnostics import MARK, Converted, Diagnostics
from sporax._src.migrate.source.source_text import Edits, Source
from sporax._src.migrate.torch_map.rows import table


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "x = torch.no_such_thing(1)",
            "torch.no_such_thing has no counterpart here; write its formula with functions of mindspore.mint, "
            "as in `y = mint.log(1 + mint.exp(x))`",
        ),
        (
            "x = torch.cat(1, 2, 3, 4)",
            "torch.cat: these arguments have no counterpart; `sporax api torch.cat` shows those that have one: "
            "torch.cat(1, 2, 3, 4)",
        ),
    ],
)
def test_what_cannot_be_converted_stays_under_a_comment(text, reason):
    done = convert(f"import torch\nif 1:\n    {text}\n")
    assert done.todo == [(3, reason)]
    assert f"    {MARK}{reason}\n    {text}\n" in done.text
    assert "import torch\n" in done.text


def test_reasons_stand_once_above_their_line() -> None:
    source = Source("if a:\n    x = f(y, z)\n")
    diagnostics, edits = Diagnostics(source), Edits()
    (statement,) = source.tree.body[0].body
    for argument in statement.value.args:
        diagnostics.refuse(argument, statement, "because")
    assert diagnostics.leaves_torch and diagnostics.result.todo == [(2, "because")] * 2
    diagnostics.write_comments(edits)
    assert source.edited(edits) == f"if a:\n    {MARK}because\n    x = f(y, z)\n"


def test_differences_are_noted_with_each_use() -> None:
    source = Source("a\nb\n")
    diagnostics = Diagnostics(source)
    row = next(row for rows in table().values() for row in rows if row.differs)
    for statement in source.tree.body:
        diagnostics.count(statement.value, row)
    assert diagnostics.result.used == {row.name: 2} and not diagnostics.leaves_torch
    assert diagnostics.result.notes == [(line, row.name, text) for line in (1, 2) for text in row.differs]


def test_a_result_is_written_with_its_package(tmp_path: Path) -> None:
    Converted("x = 1\n", files={"_from_torch/a/b.py": "y = 2\n"}).write(tmp_path / "deep" / "p.py")
    written = {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*.py")}
    assert written == {"deep/p.py": "x = 1\n", "deep/_from_torch/a/b.py": "y = 2\n"}
