"""Pages as programs: the Python blocks of a page run from top to bottom in one folder, and print what its `text` blocks show.

- Blocks of Python share their names, as the cells of a notebook do. A block that begins with `# NAME.py` is that file.
- Lines of `sh` blocks that begin with `sporax` or `python` run. `NOT_RUN` has the other commands that pages may show.
- A `text` block is what the blocks since the last one print; `...` stands for any text.
- `<!-- needs: torch -->`: the page is skipped where the package is missing.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import subprocess
import sys
import types
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from sporax._src.cli import main

BLOCK = re.compile(r"^( *)```(python|sh|text)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
NOT_RUN = (
    "pip ",
    "git clone",
    "cd ",
    "tensorboard ",
    "source ",
    "eval ",
    "export ",
    "jupyter ",
    "pytest",
    "python -m venv ",
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FILE = re.compile(r"# (\S+\.py)\n")


def run_page(page: Path, folder: Path) -> None:
    """Run a page in a folder, which is the current one."""
    text = page.read_text(encoding="utf-8")
    for name in " ".join(re.findall(r"<!-- needs: (.*?) -->", text)).split():
        pytest.importorskip(name)
    module = types.ModuleType(f"page_{page.stem}")
    module.__file__ = str(folder / f"page_{page.stem}.py")
    sys.modules[module.__name__] = module
    printed = ""
    try:
        for place, language, block in blocks(text):
            if language == "text":
                assert shows(block, printed), (
                    f"{page.name}, line {place}, shows\n{block}\nand this is printed:\n{printed}"
                )
                printed = ""
            elif language == "sh":
                printed += "".join(map(command, block.splitlines()))
            elif named := FILE.match(block):
                (folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / named[1]).write_text(block, encoding="utf-8")
            else:
                printed += _run("\n" * place + block, module)
    finally:
        del sys.modules[module.__name__]


def blocks(text: str) -> list[tuple[int, str, str]]:
    """Return the blocks of a page: the number of the line above each, its language, and its text without indentation."""
    found = []
    for one in BLOCK.finditer(text):
        lines = [line.removeprefix(one[1]) for line in one[3].splitlines(keepends=True)]
        found.append((text[: one.start()].count("\n") + 1, one[2], "".join(lines)))
    return found


def _run(source: str, module: types.ModuleType) -> str:
    """Run a block within a module and return what it prints; its file has the lines that graphs are read from."""
    assert module.__file__
    file = Path(module.__file__)
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    file.write_text(before + source[before.count("\n") :], encoding="utf-8")  # lines keep their numbers on the page
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # advice, such as that a device is not there
        exec(compile(source, str(file), "exec"), vars(module))
    return out.getvalue()


def command(line: str) -> str:
    """Run a line of a shell block and return what it prints; a line of `NOT_RUN` prints nothing."""
    words = shlex.split(line, comments=True)
    if not words or line.startswith(NOT_RUN):
        return ""
    assert words[0] in ("sporax", "python"), f"{line}: neither run nor listed in NOT_RUN"
    if words[0] == "sporax" and words[1] not in ("run", "launch"):  # what runs programs has a process of its own
        told = CliRunner().invoke(main, words[1:], catch_exceptions=False)
        assert told.exit_code == 0, f"{line}\n{told.output}"
        return told.stdout
    call = [sys.executable, "-m", *words] if words[0] == "sporax" else [sys.executable, *words[1:]]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def shows(wanted: str, printed: str) -> bool:
    """Tell whether a `text` block shows what is printed."""
    return doctest.OutputChecker().check_output(wanted, printed, FLAGS)
