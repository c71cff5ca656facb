"""`python -m sporax` takes what `python` takes: scripts, modules, texts and standard input, each compared with Python's own run."""

import subprocess
import sys

import pytest

from sporax._src.cli import COMMANDS, OPTIONS
from sporax._src.startup import allocator

SHOW = """
import os, sys, __main__
print(sys.argv, sys.path[0], __name__, __main__.__dict__ is globals(), globals().get("__file__", "<stdin>"), __package__)
def f():
    raise KeyError("x")
"""


def python(*args, cwd, text=None):
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, cwd=cwd, input=text)


def both(*args, cwd, text=None):
    """Run what `python` and `python -m sporax` make of the same arguments."""
    return python(*args, cwd=cwd, text=text), python("-m", "sporax", *args, cwd=cwd, text=text)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "script.py").write_text(SHOW)
    (tmp_path / "module.py").write_text(SHOW)
    (tmp_path / "bad.py").write_text(SHOW + "f()\n")
    (tmp_path / "odd.py").write_text("x = = 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["below/script.py", "--epochs", "3", "-c", "x", "run"], None),
        (["-m", "module", "-m", "x", "--mode", "graph"], None),
        (["-c", SHOW, "-c", "x", "--device"], None),
        (["-", "-a", "b"], SHOW),
    ],
    ids=["script", "module", "text", "stdin"],
)
def test_a_program_sees_what_python_shows_it(folder, args, text):
    want, got = both(*args, cwd=folder, text=text)
    assert want.stdout and got.stdout == want.stdout, got.stderr
    assert got.returncode == want.returncode == 0


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["bad.py"], None),
        (["odd.py"], None),
        (["-c", "def f():\n    raise KeyError('x')\nf()"], None),
        (["-c", "x = = 1"], None),
        (["-"], SHOW + "f()\n"),
        (["-c", "import sys; sys.exit(3)"], None),
        (["-c", "import sys; sys.exit('why')"], None),
    ],
    ids=["script", "script's syntax", "text", "text's syntax", "stdin", "exit", "exit with text"],
)
def test_errors_are_shown_as_python_shows_them(folder, args, text):
    want, got = both(*args, cwd=folder, text=text)
    assert got.returncode == want.returncode != 0
    assert without_source(got.stderr) == without_source(want.stderr)


def without_source(text):
    """Return the lines of a traceback but for those of the source, which Python 3.11 does not know of a text."""
    return [line for line in text.splitlines() if not line.startswith("    ")]


def test_mindspore_is_there_and_control_flow_of_a_text_compiles(tmp_path):
    text = """
import mindspore as ms
@ms.jit(fullgraph=True)
def f(x):
    if x.sum() > 0:
        return x + 1
    return x - 1
print(f(ms.Tensor([1.0])), f(ms.Tensor([-1.0])))
"""
    for done in (
        python("-m", "sporax", "-c", text, cwd=tmp_path),
        python("-m", "sporax", "run", "-", cwd=tmp_path, text=text),
    ):
        assert done.stdout.strip() == "[2.] [-2.]", done.stderr


def test_options_of_run_need_no_run(folder):
    code = "import mindspore as ms; ms.set_context(mode=ms.PYNATIVE_MODE); print(ms.get_context('mode'))"
    assert python("-m", "sporax", "--mode", "graph", "-c", code, cwd=folder).stdout.strip() == "0"
    assert python("-m", "sporax", "run", "--mode=graph", "-c", code, cwd=folder).stdout.strip() == "0"


def test_the_names_of_commands_are_commands(folder):
    (folder / "cache").write_text("print('ran')")
    assert "ran" not in python("-m", "sporax", "cache", cwd=folder).stdout
    assert python("-m", "sporax", "./cache", cwd=folder).stdout.strip() == "ran"
    wrong = python("-m", "sporax", "chek", cwd=folder)
    assert (
        wrong.returncode == 2 and "there is no file 'chek', and no such command. Did you mean 'check'?" in wrong.stderr
    )


@pytest.mark.parametrize("word", [*COMMANDS, *OPTIONS])
def test_programs_alone_start_with_the_allocator(word):
    environ = allocator.with_tunables(["python", "-m", "sporax", word, "x"], ["-m", word, "x"], {})
    assert (environ is not None) == (word == "run")
