"""docs/migration.md is true: its blocks run, top to bottom in one folder, and its tables name the known differences."""

import re
import runpy
import shlex
import subprocess
import sys

import pytest
from click.testing import CliRunner
from differences import DIFFERENCES
from house import ROOT

from sporax import compat
from sporax._src.cli import main

GUIDE = (ROOT / "docs" / "migration.md").read_text()
BLOCKS = re.findall(r"```(python|sh)\n(.*?)```", GUIDE, re.DOTALL)
FILE = re.compile(r"# (\S+\.py)\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("guide")


@pytest.fixture(autouse=True)
def _within(folder, monkeypatch):
    """Run in the folder, and leave no path and no name of MindSpore behind."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    compat.uninstall()


def run(line):
    """Run a line of a shell block: programs in a process of their own."""
    program, *arguments = shlex.split(line, comments=True)
    if program == "sporax" and arguments[0] != "run":
        done = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert done.exit_code == 0, f"{line}\n{done.output}"
    else:
        words = [sys.executable, *(["-m", program] if program == "sporax" else []), *arguments]
        told = subprocess.run(words, capture_output=True, text=True, check=False)
        assert told.returncode == 0, f"{line}\n{told.stderr}"


@pytest.mark.parametrize(("language", "text"), BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_runs(language, text, folder):
    """A block of Python that begins with the name of a file is that file."""
    file = folder / (named[1] if (named := FILE.match(text)) else "block.py")
    if language == "sh":
        for line in text.splitlines():
            run(line)
        return
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    if not named:
        runpy.run_path(str(file), run_name="__main__")


def test_each_difference_has_a_row():
    rows = re.findall(r"^\| ([^|`]+) \| .* \| .* \|$", GUIDE, re.MULTILINE)
    named = [name for name in rows if name not in ("difference", "command")]
    assert sorted(named) == sorted(row.name for row in DIFFERENCES)
