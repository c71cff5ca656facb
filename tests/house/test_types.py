"""Pyright and mypy find nothing to say about the programs of users; `expressions.py` has the types that they must know."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT

from sporax._src.compat.editor_stubs import editor_stubs

PROGRAMS = ROOT / "tests" / "support" / "typed_programs"
CHECKERS = {  # with the settings that each has by itself, and one that leaves out that `mindspore` has stubs only
    "pyright": ["-m", "pyright", "--level", "warning"],
    "mypy": ["-m", "mypy", "--cache-dir", "cache"],
}
WRONG = """
from sporax import Tensor, nn

nn.Dense(4, 2)(Tensor([1.0])).no_method()
nn.Dense(4, 2)("text")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project of a user: the programs, and what `sporax stubs` writes."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(PROGRAMS, folder, dirs_exist_ok=True)
    for name, text in editor_stubs().items():
        path = folder / "typings" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[tool.pyright]\nreportMissingModuleSource = "none"\n[tool.mypy]\nmypy_path = "typings"\n'
    )
    return folder


def check(checker: str, project: Path, *files: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}  # as if sporax were installed
    python = ["--pythonpath", sys.executable] if checker == "pyright" else []
    command = [sys.executable, *CHECKERS[checker], *python, *files]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_programs_have_no_errors(checker: str, project: Path) -> None:
    names = sorted(path.name for path in PROGRAMS.glob("*.py"))
    assert len(names) == 12
    done = check(checker, project, *names)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_errors_are_found(checker: str, project: Path) -> None:
    """The checkers do read the types."""
    (project / "wrong.py").write_text(WRONG)
    done = check(checker, project, "wrong.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "no_method" in done.stdout
    assert ("is not assignable to" if checker == "pyright" else 'expected "Tensor"') in done.stdout
