"""Files that killed processes leave: the next save into the folder removes them, and no others."""

import os
import signal
import subprocess
import sys
import time
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


def _name(system: str, process: int) -> str:
    return f".sporax-{system}-{process}-{'0' * 16}.tmp"


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
