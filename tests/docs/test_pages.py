"""Every block of code on the pages of the site runs, and prints what the page shows."""

import sys
from pathlib import Path

import jax
import pytest
from click import Context
from documents import blocks, command, run_page, shows
from house import ROOT

from sporax import compat
from sporax._src.cli import main

FOLDERS = ("start", "tutorials", "how_to", "zh")
PAGES = sorted(
    p
    for folder in FOLDERS
    for p in (ROOT / "docs" / folder).glob("*.md")
    if p.name != "tour.md"  # tests/test_readme.py runs it
)


@pytest.fixture(autouse=True)
def _within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run in a folder of one's own with JAX's default promotion, and leave no path and no name of MindSpore behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with jax.numpy_dtype_promotion("standard"):
        yield
    compat.uninstall()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT / "docs")))
def test_blocks_run(page: Path, tmp_path: Path) -> None:
    run_page(page, tmp_path)


def test_the_page_of_commands_has_each_command() -> None:
    shown = (ROOT / "docs" / "start" / "commands.md").read_text(encoding="utf-8")
    assert [name for name in main.list_commands(Context(main)) if f"\nsporax {name}" not in shown] == []


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A\n\n```python\nx = 1\n```\n\n```python\nprint(x + 1)\n```\n\n```text\n3\n```\n")
    with pytest.raises(AssertionError, match=r"page\.md, line 11, shows\n3\n"):
        run_page(page, tmp_path)


def test_an_error_has_the_line_of_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A\n\n```python\nx = 1\n```\n\n```python\nx / 0\n```\n")
    with pytest.raises(ZeroDivisionError) as error:
        run_page(page, tmp_path)
    assert error.traceback[-1].lineno == 8 - 1


def test_blocks_are_found_in_lists() -> None:
    assert blocks("- a\n\n  ```python\n  x = 1\n  ```\n") == [(3, "python", "x = 1\n")]


def test_commands_are_known() -> None:
    assert command("pip install sporax  # not run") == command("# nothing") == ""
    with pytest.raises(AssertionError, match="neither run nor listed"):
        command("rm -r x")


def test_dots_stand_for_any_text() -> None:
    assert shows("a ... b\n", "a 1 2 b\n") and not shows("a\n", "b\n")
