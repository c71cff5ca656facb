"""The compile cache: whole files of this user under their own key, those used last, up to a size; it moves and stops."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from house import ROOT

import sporax as ms
from sporax import Tensor
from sporax._src.base import config
from sporax._src.base.compile_cache import CompileCache

pytestmark = pytest.mark.usefixtures("settings_as_before")


def compile_something() -> None:
    """Compile a graph that no other test has."""
    compile_something.count = getattr(compile_something, "count", 0) + 1
    factor = float(np.random.default_rng().random())
    ms.jit(lambda x: x * factor + 1)(Tensor(np.ones(100 + compile_something.count, np.float32)))


def names(folder: Path) -> set[str]:
    return {p.name for p in folder.glob("*-cache")}


def test_cache_moves_and_stops_at_run_time(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    ms.set_context(enable_compile_cache=True, compile_cache_path=str(first))
    compile_something()
    kept = names(first)
    assert kept and config.cache_dir() == first
    ms.set_context(compile_cache_path=str(second))
    compile_something()
    assert names(first) == kept and names(second)
    kept = names(second)
    ms.set_context(enable_compile_cache=False)
    compile_something()
    assert names(second) == kept and config.cache_dir() is None
    ms.set_context(enable_compile_cache=True)
    compile_something()
    assert names(second) > kept


PROGRAM = """
import sys
import sporax as ms
assert ms.get_context("enable_compile_cache") == (len(sys.argv) < 2)
ms.set_context(mode=ms.GRAPH_MODE)
net = ms.nn.Dense(3, 4)
print(ms.value_and_grad(lambda x: net(x).sum())(ms.Tensor([[1.0, 2.0, 3.0]]))[1].shape)
"""


def run(tmp_path: Path, cache: str, *args: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    env = {"PATH": "/usr/bin", "SPORAX_CACHE_DIR": cache, "PYTHONPATH": str(Path(ms.__file__).parents[1])}
    done = subprocess.run([sys.executable, tmp_path / "program.py", *args], capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout) == (0, "(1, 3)\n"), done.stderr


def test_second_process_compiles_nothing(tmp_path: Path) -> None:
    """Every compilation of the second start is found on disk: nothing is added."""
    folder = tmp_path / "cache"
    run(tmp_path, str(folder))
    kept = names(folder)
    assert kept
    run(tmp_path, str(folder))
    assert names(folder) == kept


def test_cache_off(tmp_path: Path) -> None:
    run(tmp_path, "off", "expect it to be off")
    assert [p.name for p in tmp_path.iterdir()] == ["program.py"]


COUNTING = """
import jax, numpy as np, sporax as ms
found = []
jax.monitoring.register_event_listener(lambda event, **_: found.append(event))
for scale in (2, 3):
    f = ms.jit(lambda x: (x * scale).sum())
    print(float(f(ms.Tensor(np.ones(4, np.float32))).asnumpy()))
print(sum(event.endswith("cache_hits") for event in found), "of", sum("compile_requests" in event for event in found))
"""


@pytest.fixture
def cache(tmp_path):
    return CompileCache(tmp_path / "kept", 10_000)


def files(cache: CompileCache) -> list[Path]:
    return sorted(cache._path.glob("*-cache"))


def test_what_is_put_is_got_and_nothing_else_is(cache):
    assert cache.get("a") is None and not cache._path.exists()
    cache.put("a", b"code")
    assert cache.get("a") == b"code" and cache.get("b") is None
    cache.put("a", b"newer")
    assert cache.get("a") == b"newer"
    assert cache._path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "exchanged"])
def test_a_damaged_file_is_as_none_and_is_written_again(cache, damage):
    cache.put("a", b"code of a")
    cache.put("b", b"code of b")
    path = cache._path / "a-cache"
    content = path.read_bytes()
    other = (cache._path / "b-cache").read_bytes()
    path.write_bytes({"cut": content[:-1], "empty": b"", "flipped": content[:-1] + b"!", "exchanged": other}[damage])
    assert cache.get("a") is None
    cache.put("a", b"code of a")
    assert cache.get("a") == b"code of a"


def test_what_everyone_may_write_is_not_run(cache):
    cache.put("a", b"code")
    path = cache._path / "a-cache"
    path.chmod(0o666)
    with pytest.warns(
        UserWarning, match=r"a-cache belongs to another user or may be written by everyone. SPORAX_CACHE_DIR"
    ):
        assert cache.get("a") is None
    path.chmod(0o600)
    assert cache.get("a") == b"code"
    cache._path.chmod(0o777)
    cache.put("b", b"code")
    assert files(cache) == [path]


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_what_another_user_wrote_is_not_run(cache):
    cache.put("a", b"code")
    os.chown(cache._path / "a-cache", 12345, -1)
    with pytest.warns(UserWarning, match="belongs to another user"):
        assert cache.get("a") is None


def test_those_used_least_recently_go_when_there_are_too_many(cache, monkeypatch):
    monkeypatch.setattr("sporax._src.base.compile_cache._SWEEP_BYTES", 1)
    for number in range(4):
        cache.put(str(number), bytes(3000 - 32))
        os.utime(cache._path / f"{number}-cache", (number + 1, number + 1))
        if number == 2:
            assert cache.get("0") is not None  # used now
    assert [path.name for path in files(cache)] == ["0-cache", "2-cache", "3-cache"]


def test_what_a_killed_process_left_goes(cache):
    cache.put("a", b"code")
    old, young = cache._path / ".1-1.part", cache._path / ".1-2.part"
    old.touch(), young.touch()
    os.utime(old, (0, 0))
    os.utime(cache._path / ".swept", (time.time() - 7200,) * 2)
    cache.put("b", b"code")
    assert young.exists() and not old.exists() and len(files(cache)) == 2


def test_a_process_that_finds_exchanged_files_compiles_anew(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "SPORAX_CACHE_DIR": str(tmp_path / "kept")}

    def run() -> list[str]:
        done = subprocess.run([sys.executable, "-c", COUNTING], capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout.split("\n")[:3]

    assert run()[:2] == ["8.0", "12.0"]
    second = run()
    hits, _, requests = second[2].partition(" of ")
    assert second[:2] == ["8.0", "12.0"] and hits == requests != "0"
    first, other = sorted((tmp_path / "kept").glob("jit_run*-cache"))
    content = first.read_bytes()
    first.write_bytes(other.read_bytes()), other.write_bytes(content)
    third = run()
    assert third[:2] == ["8.0", "12.0"] and third[2] == f"{int(hits) - 2} of {requests}"
    assert run() == second
