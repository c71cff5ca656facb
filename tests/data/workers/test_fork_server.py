"""The process that forks workers: it ends them, and reports how they ended."""

import os
import subprocess
import sys
import time

from sporax._src.data.workers.fork_server import ended


def test_a_process_that_ends_in_time() -> None:
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"], process_group=0)
    assert ended(process.pid, 30.0) == 3
    process.returncode = 3


def test_a_process_that_does_not() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], process_group=0)
    began = time.monotonic()
    assert ended(process.pid, 0.05) == -9
    assert time.monotonic() - began < 20
    process.returncode = -9


def test_a_process_without_a_group_of_its_own() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    assert ended(process.pid, 0.0) == -9
    process.returncode = -9


def test_a_process_that_is_none_of_its_own() -> None:
    assert ended(os.getpid(), 0.0) == 0
