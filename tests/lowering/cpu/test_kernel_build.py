"""How `hatch_build.py` calls the compiler of the kernels."""

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hatchling")
BUILD = Path(__file__).parents[3] / "hatch_build.py"
COMPILER = """
import sys
from pathlib import Path
if "--fail" in sys.argv:
    sys.exit("no such processor")
Path(sys.argv[sys.argv.index("-o") + 1]).write_text(" ".join(sys.argv[1:]))
"""


@pytest.fixture
def build(tmp_path: Path) -> Any:
    made = runpy.run_path(str(BUILD))["build"]
    made.__globals__["LIBRARY"] = tmp_path / "kernels.so"
    (tmp_path / "compiler.py").write_text(COMPILER)
    return made


def test_the_compiler_may_have_options(build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", f"{sys.executable} {tmp_path}/compiler.py -march=native")
    assert build()
    called = (tmp_path / "kernels.so").read_text()
    assert called.startswith("-march=native -O3 ")
    assert "-shared" in called and "grouped.o" in called
    assert sorted(path.name for path in tmp_path.iterdir()) == ["compiler.py", "kernels.so"]


def test_a_compiler_that_fails_says_why(
    build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CXX", f"{sys.executable} {tmp_path}/compiler.py --fail")
    assert not build()
    error = capsys.readouterr().err
    assert error.startswith("sporax: the kernels for the CPU are left out; ")
    assert error.endswith(" failed:\nno such processor\n\n")


def test_without_a_compiler_there_are_no_kernels(build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "a-compiler-that-is-nowhere")
    assert not build()
    assert not (tmp_path / "kernels.so").exists()
