"""How errors are shown: in a process, in a notebook's cell, with all calls."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sporax._src.base import config, tracebacks

PROGRAM = """
import numpy as np
import sporax as ms
from sporax import nn, ops

ms.set_context(mode={mode})

class Net(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            x = x + ops.ones((3, 3))
        return x

def main(net):
    net(ms.Tensor(np.ones((2, 4), np.float32)))

main(Net())
"""


def run(tmp_path: Path, mode: int, **variables: str) -> list[str]:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(mode=mode))
    environment = config.environ("PATH"), config.environ("PYTHONPATH"), str(tmp_path / "cache")
    names = dict(zip(("PATH", "PYTHONPATH", "SPORAX_CACHE_DIR"), environment, strict=True)) | variables
    ran = subprocess.run([sys.executable, str(file)], env=names, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    return ran.stderr.splitlines()


@pytest.mark.parametrize("mode", [0, 1])
def test_a_process_shows_the_programs_calls(tmp_path: Path, mode: int) -> None:
    lines = run(tmp_path, mode)
    assert len(lines) == 8
    assert [line.split(", line")[1][:3].strip(", i") for line in lines if "File" in line] == ["17", "15", "11"]
    assert lines[-2] == "    x = x + ops.ones((3, 3))"
    assert lines[-1].startswith("ValueError: ops.add(float32[2, 4], float32[3, 3]): ")


def test_a_variable_shows_all_calls(tmp_path: Path) -> None:
    lines = run(tmp_path, 1, SPORAX_FULL_TRACEBACK="1")
    assert any("sporax/_src" in line for line in lines) and len(lines) > 12


def test_the_last_error_is_kept_with_all_its_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path / "cache"))
    assert tracebacks.last() == ""
    run(tmp_path, 1)
    kept = tracebacks.last().splitlines()
    assert kept[0].endswith("program.py") and any("sporax/_src" in line for line in kept)
    assert kept[-1].startswith("ValueError: ops.add(")
    monkeypatch.setattr(config, "cache_dir", lambda: None)
    tracebacks._keep(ValueError("text"))
    assert tracebacks.last() == ""


def failing(depth: int) -> None:
    if depth:
        failing(depth - 1)
    raise ValueError("at the bottom")


def caught(function: Any, *args: object) -> BaseException:
    try:
        function(*args)
    except Exception as error:
        return error
    raise AssertionError


def test_long_chains_of_calls_are_cut() -> None:
    lines = tracebacks.text(caught(failing, 20)).splitlines()
    assert len(lines) == 11
    assert "  ... 18 calls between; SPORAX_FULL_TRACEBACK=1 shows them" in lines
    assert lines[-1] == "ValueError: at the bottom"


def test_the_programs_own_causes_are_shown() -> None:
    def program() -> None:
        try:
            failing(0)
        except ValueError as error:
            error.add_note("a note")
            raise KeyError("key") from error

    def other() -> None:
        try:
            failing(0)
        except ValueError:
            raise KeyError("key") from None

    lines = tracebacks.text(caught(program)).splitlines()
    assert "ValueError: at the bottom" in lines and "a note" in lines and lines[-1] == "KeyError: 'key'"
    assert "The above exception was the direct cause of the following exception:" in lines
    assert "ValueError" not in tracebacks.text(caught(other))


def test_errors_without_calls_are_as_python_shows_them() -> None:
    assert tracebacks.text(ValueError("text")) == "ValueError: text\n"
    assert tracebacks.text(caught(compile, "1 +", "file.py", "exec")).endswith("SyntaxError: invalid syntax\n")


def test_a_cell_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    shell = SimpleNamespace(
        set_custom_exc=lambda kinds, show: shown.append((kinds, show)),
        compile=SimpleNamespace(format_code_name=lambda name: ("Cell", "In[3]") if name == __file__ else None),
        _showtraceback=lambda kind, error, lines: shown.append(lines),
        showtraceback=lambda raised, tb_offset: shown.append(raised),
    )
    tracebacks.show_in(shell)
    kinds, show = shown.pop()
    assert kinds == (Exception, KeyboardInterrupt)
    error = caught(failing, 0)
    show(shell, ValueError, error, error.__traceback__)
    assert shown.pop()[-3].startswith("  Cell In[3], line ")
    monkeypatch.setenv("SPORAX_FULL_TRACEBACK", "1")
    show(shell, ValueError, error, error.__traceback__)
    assert shown.pop()[1] is error
