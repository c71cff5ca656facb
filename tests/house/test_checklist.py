"""`docs/checklist.md` names a test for every row, every such test exists, and each runs in both modes."""

import ast
import re
from pathlib import Path

from house import ROOT

TABLE = (ROOT / "docs" / "checklist.md").read_text()
FILES = dict(re.findall(r"\b(\w) is `([\w/.]+)`", TABLE))
ROWS = [
    (int(row), FILES[file], name)
    for row, file, name in re.findall(r"^\| (\d+) \| .* \| `(\w)::(\w+)` \|$", TABLE, re.M)
]


def functions(file: str) -> dict[str, list[str]]:
    """Return the test functions of a file with the names of their arguments."""
    tree = ast.parse((ROOT / file).read_text(), filename=str(Path(file)))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {node.name: [a.arg for a in node.args.args] for node in found}


def test_every_row_has_tests() -> None:
    """Rows 71 to 92, each named by tests that bear its number; every line of the table was read."""
    assert {row for row, _, _ in ROWS} == set(range(71, 93))
    assert len(ROWS) == len(re.findall(r"^\| \d+ \|", TABLE, re.M))
    assert [name for row, _, name in ROWS if not name.startswith(f"test_row{row}_")] == []


def test_the_tests_exist_and_run_in_both_modes() -> None:
    """The table and the files name the same tests; the fixture `mode` runs each twice."""
    for file in FILES.values():
        there = functions(file)
        assert sorted(there) == sorted(name for _, where, name in ROWS if where == file)
        assert [name for name, arguments in there.items() if "mode" not in arguments] == []
