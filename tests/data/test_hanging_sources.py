"""A process whose source hangs ends after Ctrl-C: Python waits for no thread of a dataset."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sporax._src.data.threads import Threads

HEAD = """
import signal, threading, time
import numpy as np
import sporax.dataset as ds

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

class Source:
    def __len__(self):
        return 100

    def __getitem__(self, i):
        if i == HANGS_AT:
            print("hangs\\n", end="", flush=True)  # in one piece, also from two threads
            time.sleep(3600)
        return np.ones(3)

began = threading.Event()

def hang(x):
    print("hangs\\n", end="", flush=True)  # in one piece, also from two threads
    began.set()
    time.sleep(3600)
"""
PROGRAMS = {
    "workers": "data, HANGS_AT = ds.GeneratorDataset(Source(), ['x'], shuffle=False, num_parallel_workers=2), 20",
    "one worker": "data, HANGS_AT = ds.GeneratorDataset(Source(), ['x'], shuffle=False), 20",
    "map": "data = ds.NumpySlicesDataset(np.arange(9)).map(hang, num_parallel_workers=2)",
    "batch": "data = ds.NumpySlicesDataset(np.arange(9)).batch(2, per_batch_map=lambda x, _: hang(x), num_parallel_workers=2)",
    "prefetch": "data, HANGS_AT, ahead = ds.GeneratorDataset(Source(), ['x'], num_parallel_workers=2), 20, 3",
}
READ = "\nfor _ in data.create_tuple_iterator(output_numpy=True, prefetch=globals().get('ahead', 0)): pass\n"


@pytest.mark.parametrize("kind", PROGRAMS)
def test_an_interrupt_ends_it(kind: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(HEAD + PROGRAMS[kind] + READ)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"hangs\n"
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGINT and b"KeyboardInterrupt" in told


def test_a_program_may_end_in_the_middle(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    text = (
        "data = ds.NumpySlicesDataset(np.arange(900)).map(lambda x: np.sort(np.ones(10**5)), num_parallel_workers=2)\n"
    )
    script.write_text(
        HEAD + text + "rows = data.create_tuple_iterator(output_numpy=True)\nnext(rows)\nprint(len(data))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"900\n", b"")


def test_threads_that_hang_are_left(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    text = "data = ds.NumpySlicesDataset(np.arange(9), shuffle=False)\n"
    text += "data = data.map(lambda x: hang(x) if x == 3 else x, num_parallel_workers=2)\n"
    text += "rows = data.create_tuple_iterator(output_numpy=True)\nnext(rows), began.wait()\n"
    script.write_text(HEAD + text)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"hangs\n", b"")


def test_a_thread_whose_start_was_interrupted_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it ran, that is: the others still end."""
    threads: Threads[int] = Threads(2)
    assert threads.submit(lambda: 1).get(timeout=10) == 1
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(threading.Thread, "start", interrupted)
        threads.submit(lambda: 2)
    threads.end()
    threads.join(time.monotonic() + 10)
    assert not any(thread.is_alive() for thread in threads._threads)


def interrupted(thread: threading.Thread) -> None:
    """Do as `start` does when Ctrl-C comes before the thread runs."""
    raise KeyboardInterrupt
