"""Memory that is freed is kept; `sporax run` starts its process with large pages where Linux gives them on request."""

import os
import subprocess
import sys

import pytest

from sporax._src.base.allocator import settings, use_large_pages, with_large_pages

ASKED = "always [madvise] never"
RUN = ["python", "-m", "sporax", "run", "train.py"]


@pytest.mark.parametrize("argv", [RUN, ["python", "/venv/bin/sporax", "run", "-m", "pytest"], ["python", "-X", "dev", *RUN[1:]]])
def test_the_launcher_starts_again(argv):
    assert with_large_pages(argv, {"A": "1"}, ASKED) == {"A": "1", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def test_other_settings_of_the_allocator_stay():
    environ = {"GLIBC_TUNABLES": "glibc.malloc.check=1"}
    assert with_large_pages(RUN, environ, ASKED) == {"GLIBC_TUNABLES": "glibc.malloc.check=1:glibc.malloc.hugetlb=1"}


@pytest.mark.parametrize(
    ("argv", "environ", "setting"),
    [
        (["python", "train.py"], {}, ASKED),
        (["python", "-m", "sporax", "check"], {}, ASKED),
        (RUN, {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=0"}, ASKED),
        (RUN, {}, "[always] madvise never"),
        (RUN, {}, ""),
    ],
)
def test_nothing_else_starts_again(argv, environ, setting):
    assert with_large_pages(argv, environ, setting) is None


def test_the_command_line_is_kept(monkeypatch, tmp_path):
    setting = tmp_path / "enabled"
    setting.write_text(ASKED)
    started = []
    monkeypatch.setattr("sporax._src.base.allocator._SETTING", setting)
    monkeypatch.setattr("os.execve", lambda *args: started.append(args))
    monkeypatch.setattr(sys, "orig_argv", RUN)
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    use_large_pages()
    ((program, argv, environ),) = started
    assert (program, argv) == (sys.executable, RUN)
    assert environ["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=1"


def test_a_program_still_gets_its_arguments(tmp_path):
    script = tmp_path / "show.py"
    script.write_text("import sys; print(sys.argv[1:], sys.stdin.read())")
    done = subprocess.run(
        [sys.executable, "-m", "sporax", "run", str(script), "a", "--b"], input="text", capture_output=True, text=True
    )
    assert done.stdout.strip() == "['a', '--b'] text"


FAULTS = """
import resource, sporax
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    b"1" * (64 << 20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(max(faults() for _ in range(3)))
"""


def faults(tunables):
    environ = {**os.environ, "GLIBC_TUNABLES": tunables}
    return int(subprocess.run([sys.executable, "-c", FAULTS], env=environ, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_large_arrays_get_the_memory_of_those_freed_before():
    assert faults("") < 10


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_what_the_environment_asks_of_the_allocator_holds():
    assert faults("glibc.malloc.mmap_max=65536:glibc.malloc.mmap_threshold=1048576") > 10
    assert settings({"GLIBC_TUNABLES": "glibc.malloc.mmap_max=65536"}) == [(-8, 1), (-1, 2**31 - 1)]
