"""Files that killed processes leave: the next save into the folder removes them, and no others; sets of files are old or new."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax._src.base import atomic

SAVES = {
    "ckpt": "ms.save_checkpoint(net, path)",
    "safetensors": "ms.save_checkpoint(net, path, format='safetensors')",
    "mindir": "ms.export(net, x, file_name=path, file_format='MINDIR')",
}
PROGRAM = """
import os, signal, sys
import numpy as np, sporax as ms
from sporax._src.base import atomic
net, x, path = ms.nn.Dense(4, 3), ms.Tensor(np.ones((2, 4), np.float32)), sys.argv[1]
atomic._flush = lambda _: os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("kind", SAVES)
def test_a_killed_save_is_cleared_away(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"net.{kind}"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", PROGRAM + SAVES[kind], str(path)], timeout=120, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (left,) = set(os.listdir(tmp_path)) - {path.name}
    assert left.startswith(".sporax-") and path.read_bytes() == b"old"
    ms.save_checkpoint({"w": ms.Tensor(np.ones(3, np.float32))}, str(tmp_path / "other.ckpt"))
    assert sorted(os.listdir(tmp_path)) == [path.name, "other.ckpt"]


def _name(system: str, process: int, kind: str = "tmp") -> str:
    return f".sporax-{system}-{process}-{'0' * 16}.{kind}"


def test_what_may_be_in_use_stays(tmp_path: Path) -> None:
    """Files of living processes, and of other machines, whose processes cannot be asked, for a day."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    kept = [_name(atomic._system(), os.getpid()), _name("0" * 8, ended.pid), _name(atomic._system(), 1), ".note.tmp"]
    gone = [_name(atomic._system(), ended.pid), _name("1" * 8, 1)]
    for name in (*kept, *gone):
        (tmp_path / name).touch()
    before = time.time() - 25 * 3600
    os.utime(tmp_path / gone[1], (before, before))
    (tmp_path / _name("2" * 8, 1)).mkdir()
    os.utime(tmp_path / _name("2" * 8, 1), (before, before))
    with atomic.replacing(tmp_path / "a") as temporary:
        temporary.write_text("new")
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, _name("2" * 8, 1), "a"])


# --- sets of files ------------------------------------------------------------------------------------------------------

NAMES = ("a", "b", "rank_0/c")


def _write(folder: Path, text: str) -> None:
    with atomic.replacing_all(folder) as new:
        (new / "rank_0").mkdir()
        for name in NAMES:
            (new / name).write_text(text)


def _texts(folder: Path) -> list[str]:
    return [(folder / name).read_text() for name in NAMES]


def _half_moved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a set as a process does that is killed when one of its files is in its place."""
    (folder / "rank_0").mkdir()
    for name in NAMES:
        (folder / name).write_text("old")
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(atomic, "_finish", _first_moved)
        _write(folder, "new")
    assert _texts(folder) == ["new", "old", "old"]


def _first_moved(folder: Path) -> None:
    if (folder / atomic.READY).exists():
        os.replace(folder / atomic.READY / "a", folder / "a")
        raise KeyboardInterrupt


def test_a_set_is_replaced_or_stays(tmp_path: Path) -> None:
    _write(tmp_path, "old")
    with pytest.raises(KeyError), atomic.replacing_all(tmp_path) as new:
        (new / "a").write_text("new")
        raise KeyError
    assert _texts(tmp_path) == ["old"] * 3
    _write(tmp_path, "new")
    assert _texts(tmp_path) == ["new"] * 3 and sorted(os.listdir(tmp_path)) == ["a", "b", "rank_0"]


def _settled(folder: Path) -> None:
    with atomic.settled(folder):
        assert _texts(folder) == ["new"] * 3


def _saved(folder: Path) -> None:
    with atomic.replacing(folder / "other") as temporary:
        temporary.write_text("")


@pytest.mark.parametrize("act", [_settled, _saved, lambda folder: atomic.settle(folder / "rank_0" / "c")])
def test_what_a_killed_process_began_is_finished(act, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _half_moved(tmp_path, monkeypatch)
    act(tmp_path)
    assert _texts(tmp_path) == ["new"] * 3 and not (tmp_path / atomic.READY).exists()


def test_what_a_killed_process_began_comes_before_the_next_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _half_moved(tmp_path, monkeypatch)
    with atomic.replacing_all(tmp_path) as new:
        (new / "b").write_text("newer")
    assert _texts(tmp_path) == ["new", "newer", "new"] and not (tmp_path / atomic.READY).exists()


@pytest.mark.parametrize("locks", [True, False])
def test_many_may_finish_at_once(locks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not locks:
        monkeypatch.setattr(atomic, "fcntl", None)
    for k in range(10):
        (tmp_path / str(k)).mkdir()
        _half_moved(tmp_path / str(k), monkeypatch)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(atomic._finish if not locks else _settled, [tmp_path / str(k)] * 8))
        assert _texts(tmp_path / str(k)) == ["new"] * 3 and not (tmp_path / str(k) / atomic.READY).exists()


def test_readers_keep_a_writer_waiting(tmp_path: Path) -> None:
    _write(tmp_path, "old")
    with ThreadPoolExecutor(1) as pool:
        with atomic.settled(tmp_path):
            writing = pool.submit(_write, tmp_path, "new")
            time.sleep(0.2)
            assert _texts(tmp_path) == ["old"] * 3 and not writing.done()
        writing.result()
    assert _texts(tmp_path) == ["new"] * 3


def test_a_set_that_cannot_be_finished_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a folder that cannot be written; a link or a stranger's folder in the place of the new files is not followed."""
    _half_moved(tmp_path, monkeypatch)
    text = rf"replace files of {tmp_path}; .* are in .sporax-files there, and cannot be moved \(Read-only file system\)"
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", _refused)
        with pytest.raises(OSError, match=text), atomic.settled(tmp_path):
            pass
    with monkeypatch.context() as patched:
        tmp_path.chmod(0o1777)
        patched.setattr(os, "geteuid", lambda: 1)
        patched.setattr(atomic, "_owner", lambda folder: 2 if folder.name == atomic.READY else 0)
        with pytest.raises(OSError, match="belongs to another user"), atomic.settled(tmp_path):
            pass
    held = tmp_path / "held"
    (tmp_path / atomic.READY).rename(held)
    (tmp_path / atomic.READY).symlink_to(held)
    with pytest.raises(OSError, match="files is a link"), atomic.settled(tmp_path):
        pass
    assert _texts(tmp_path) == ["new", "old", "old"] and (held / "b").read_text() == "new"


def test_what_lies_among_the_new_files_goes_nowhere_else(tmp_path: Path) -> None:
    """A link among them replaces the file of its name; folders that no set has, and links in the place of one, are refused."""
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (folder := tmp_path / "folder").mkdir()
    (folder / atomic.READY).mkdir()
    (folder / atomic.READY / "a").symlink_to(elsewhere)
    atomic.settle(folder / "a")
    assert (folder / "a").is_symlink() and os.listdir(folder) == ["a"]
    for inner, link, text in (("a", "a", "/a is no folder of a set"), ("rank_1", "rank_1", "rank_1 is a link")):
        (folder / atomic.READY / inner).mkdir(parents=True)
        (folder / atomic.READY / inner / "b").touch()
        if link != "a":
            (folder / link).symlink_to(elsewhere)
        with pytest.raises(OSError, match=text):
            atomic.settle(folder / "a")
        shutil.rmtree(folder / atomic.READY)
    assert os.listdir(elsewhere) == []


def _refused(*paths: object) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def test_a_set_that_cannot_get_to_its_places_is_refused_before(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "rank_0").symlink_to(tmp_path)
    for name, error, text in (
        ("a", IsADirectoryError, "Is a directory: .*/a"),
        ("rank_0/b", PermissionError, "a link, or a folder that cannot be written, .*/rank_0"),
        ("c/d", ValueError, "c: the files of a set lie in one folder, or in rank_0, rank_1, ..."),
    ):
        with pytest.raises(error, match=text), atomic.replacing_all(tmp_path) as new:
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_text("new")
    assert sorted(os.listdir(tmp_path)) == ["a", "rank_0"]


def test_abandoned_sets_go(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    gone, kept = (_name(atomic._system(), ended.pid, "files"), _name("1" * 8, 1, "files")), _name("2" * 8, 1, "files")
    before = time.time() - 25 * 3600
    for name in (*gone, kept):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").touch()
        os.utime(tmp_path / name, (before, before))
    os.utime(tmp_path / gone[1] / "a", (before, before))
    _write(tmp_path, "new")
    assert sorted(os.listdir(tmp_path)) == [kept, "a", "b", "rank_0"]
