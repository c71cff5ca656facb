"""`sporax run` starts its process with an allocator that keeps memory."""

import os
import subprocess
import sys

import pytest

from sporax._src.startup import allocator
from sporax._src.startup.allocator import restart, with_tunables

RUN, RUN_ARGV = ["python", "-m", "sporax", "run", "train.py"], ["-m", "run", "train.py"]
NAMES = {"hugetlb", "mmap_max", "arena_max", "trim_threshold"}
on_glibc = pytest.mark.skipif("CS_GNU_LIBC_VERSION" not in os.confstr_names, reason="another allocator")


def tunables(environ):
    return dict(one.removeprefix("glibc.malloc.").split("=") for one in environ["GLIBC_TUNABLES"].split(":"))


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        (RUN, RUN_ARGV),
        (["python", "/venv/bin/sporax", "run", "-m", "pytest"], ["/venv/bin/sporax", "run", "-m", "pytest"]),
        (["python", "-X", "dev", *RUN[1:]], RUN_ARGV),
        (["python", "-Imsporax", "train.py"], ["-m", "train.py"]),
    ],
)
def test_the_launcher_starts_again_once(command, argv):
    environ = with_tunables(command, argv, {"A": "1"})
    assert environ["A"] == "1"
    assert tunables(environ).keys() == NAMES
    assert with_tunables(command, argv, environ) is None


def test_what_the_environment_says_holds():
    got = tunables(with_tunables(RUN, RUN_ARGV, {"GLIBC_TUNABLES": "glibc.malloc.check=1:glibc.malloc.arena_max=8"}))
    assert got.keys() == NAMES | {"check"}
    assert (got["check"], got["arena_max"], got["mmap_max"]) == ("1", "8", "0")


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        (["python", "train.py"], ["train.py"]),
        (["python", "-m", "sporax", "check"], ["-m", "check"]),
        (["python", "-m", "sporax"], ["-m"]),
        (["python", "run", "sporax"], ["run", "sporax"]),
        (["python", "-m", "tool", "sporax", "run"], ["-m", "sporax", "run"]),
        (["python", "train.py"], []),
        ([], ["", "run"]),
    ],
)
def test_nothing_else_starts_again(command, argv):
    assert with_tunables(command, argv, {}) is None


STARTS = {
    "a script": ["tool.py"],
    "a module": ["-m", "tool"],
    "a module in one word": ["-mtool"],
    "a text": ["-c", "import tool"],
    "a text in one word": ["-cimport tool"],
    "standard input": ["-"],
}


@pytest.mark.parametrize("start", STARTS)
def test_a_program_that_imports_sporax_goes_on(start, tmp_path):
    """Whatever it was given as arguments: what it has done so far is not done twice."""
    (tmp_path / "tool.py").write_text("print('begun', flush=True)\nimport sporax\nprint('ended')\n")
    command = [sys.executable, *STARTS[start], "sporax", "run", "x.py"]
    environ = {name: value for name, value in os.environ.items() if name != "GLIBC_TUNABLES"}
    environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, input="import tool", capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "begun\nended\n"), done.stderr


@pytest.mark.parametrize("glibc", [True, False])
def test_the_command_line_is_kept(monkeypatch, glibc):
    started = []
    monkeypatch.setattr("os.execve", lambda *args: started.append(args))
    monkeypatch.setattr(allocator, "IS_GLIBC", glibc)
    monkeypatch.setattr(sys, "orig_argv", RUN)
    monkeypatch.setattr(sys, "argv", RUN_ARGV)
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    restart()
    assert [(program, argv) for program, argv, _ in started] == [(sys.executable, RUN)] * glibc
    assert all(tunables(environ).keys() == NAMES for _, _, environ in started)


def run(tmp_path, text, *args, **options):
    script = tmp_path / "program.py"
    script.write_text(text)
    command = [sys.executable, "-m", "sporax", "run", str(script), *args]
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout.strip()


def test_a_program_still_gets_its_arguments(tmp_path):
    assert (
        run(tmp_path, "import sys; print(sys.argv[1:], sys.stdin.read())", "a", "--b", input="text")
        == "['a', '--b'] text"
    )


@on_glibc
@pytest.mark.parametrize("keeps", [True, False])
def test_large_arrays_get_the_memory_of_those_freed_before(tmp_path, keeps):
    text = """
import resource, threading
counts = []
def fault():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    b"1" * (96 << 20)
    counts.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
for _ in range(4):
    thread = threading.Thread(target=fault)
    thread.start()
    thread.join()
print(max(counts[1:]))
"""
    told = (
        ""
        if keeps
        else ":".join(f"{name}={v}" for name, v in zip(allocator._TUNABLES, (0, 65536, 8, 1 << 17), strict=True))
    )
    faults = int(run(tmp_path, text, env={**os.environ, "GLIBC_TUNABLES": told}))
    assert faults < 30 if keeps else faults > 20_000
