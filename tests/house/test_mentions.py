"""Texts name files that exist: in docstrings, comments and documents, each path `<folder>/<file>.py` leads to a file.

A path begins at the root of the repository, in `sporax/_src`, in `tests`, or beside the file that names it.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from house import ROOT

FOLDERS = ("sporax", "tests", "tools", "bench", "examples")
PATH = re.compile(r"(?<![\w./<>{}*-])(?:[\w.-]+/)+[\w-]+\.py\b")
# Texts that name the files of other programs, below the folders of those.
FOREIGN = ("sporax/_src/compat/shims/", "tests/migrate/programs/sources/", "docs/models.md", "docs/programs.md")
# What a path begins with in examples: programs of a user and what is converted from them, and a name to be filled in.
EXAMPLES = ("program/", "converted/", "classic/", "_from_torch/", "examples/NAME.py")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FILES = sorted(
    file
    for file in (*ROOT.glob("*.md"), *(f for folder in (*FOLDERS, "docs") for f in (ROOT / folder).rglob("*.*")))
    if file.suffix in (".py", ".md") and not str(file.relative_to(ROOT)).startswith(FOREIGN)
)


def texts(file: Path) -> Iterator[str]:
    """Yield a document without its diffs; of a Python file, the docstrings and comments."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        yield re.sub(r"```diff\n.*?```", "", text, flags=re.DOTALL)
        return
    yield from (ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, DOCUMENTED))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


def missing(file: Path) -> list[str]:
    """Return the paths that a file names and that lead nowhere."""
    roots = (ROOT, ROOT / "sporax" / "_src", ROOT / "tests", file.parent)
    named = [path for text in texts(file) for path in PATH.findall(text) if not path.startswith(EXAMPLES)]
    return [path for path in named if not any((root / path).exists() for root in roots)]


@pytest.mark.parametrize("folder", [*FOLDERS, "docs", ""])
def test_paths_in_texts_lead_to_files(folder: str) -> None:
    files = [file for file in FILES if (*file.relative_to(ROOT).parts[:-1], "")[0] == folder]
    found = [f"{file.relative_to(ROOT)} names {path}" for file in files for path in missing(file)]
    assert files and found == [], "\n".join(found)


def test_a_path_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "b.py").touch()
    text = '"""See base/config.py, beside/b.py and `nn/no_such.py`."""\nx = "nn/text.py"  # dist/gone.py\n'
    (tmp_path / "a.py").write_text(text)
    assert missing(tmp_path / "a.py") == ["nn/no_such.py", "dist/gone.py"]


def test_contributing_lists_every_tool() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").lower()  # also MINDSPORE_PYTHON
    assert [tool.name for tool in (ROOT / "tools").glob("*.py") if f"python tools/{tool.name}" not in text] == []
