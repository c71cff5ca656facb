"""The program's side of the fork server."""

import errno
import importlib
import os
import resource
import signal
import time

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data.workers import starting
from sporax._src.data.workers.starting import REPLY


def doubled() -> list[int]:
    """Return rows that workers made."""
    data = ds.NumpySlicesDataset(np.arange(5), ["x"], shuffle=False)
    data = data.map(lambda x: 2 * x, python_multiprocessing=True, num_parallel_workers=2)
    return [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_a_fork_server_that_was_killed_is_replaced() -> None:
    assert doubled() == [0, 2, 4, 6, 8]
    first = starting._server
    assert first is not None
    os.kill(first._process.pid, signal.SIGKILL)
    assert doubled() == [0, 2, 4, 6, 8]
    assert starting._server is not first


def test_how_a_worker_ended_may_be_unknown() -> None:
    doubled()
    server = starting._server
    assert server is not None
    os.kill(server._process.pid, signal.SIGKILL)
    server._process.wait()
    assert starting.ended(1 << 22, 0.0) is None
    assert doubled() == [0, 2, 4, 6, 8]


def test_the_system_may_make_no_more_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting.ForkServer, "_answer", lambda self, *request: -errno.EAGAIN)
    server = starting.ForkServer()
    with pytest.raises(OSError, match="Resource temporarily unavailable"):
        server.start([])
    server.close()


def test_starting_a_worker_takes_milliseconds() -> None:
    doubled()  # the fork server runs
    began = time.perf_counter()
    for _ in range(5):
        doubled()
    assert time.perf_counter() - began < 10  # ten processes; 0.1 s on an idle machine


def test_a_forked_program_has_a_fork_server_of_its_own() -> None:
    doubled()
    assert starting._server is not None
    process = os.fork()
    if process == 0:
        os._exit(0 if starting._server is None and doubled() == [0, 2, 4, 6, 8] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert doubled() == [0, 2, 4, 6, 8]


def test_replies_to_interrupted_requests_are_not_taken_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker whose start was interrupted is ended."""

    def interrupted() -> tuple[int, int]:
        raise KeyboardInterrupt

    doubled()
    server = starting._server
    assert server is not None
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(server, "_reply", interrupted)
        starting.ended(1 << 22, 0.0)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(server, "_reply", interrupted)
        starting.started([])
    assert len(server._starts) == 1
    assert doubled() == [0, 2, 4, 6, 8]
    assert starting._server is server and not server._starts


def test_files_are_enough_for_every_worker() -> None:
    assert REPLY.size == 16 and starting.MOST_FILES < resource.getrlimit(resource.RLIMIT_NOFILE)[0]


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a module with a function `twice`, and the file to which each import adds a line."""
    (tmp_path / "some-1.dist-info").mkdir()
    log = tmp_path / "imports.txt"
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(name, first_lines):
        (tmp_path / f"{name}.py").write_text(
            f"import os\n{first_lines}\nwith open({str(log)!r}, 'a') as file:\n    print(os.getpid(), file=file)\n"
            "def twice(x):\n    return x * 2\n"
        )
        return importlib.import_module(name), log

    return install


def rows(function):
    data = ds.NumpySlicesDataset(np.arange(5), ["x"], shuffle=False)
    data = data.map(function, python_multiprocessing=True, num_parallel_workers=2)
    return [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_a_module_is_imported_once_for_all_workers(installed) -> None:
    module, log = installed("imported_once", "")
    for _ in range(3):
        assert rows(module.twice) == [0, 2, 4, 6, 8]
    server = starting._server
    assert server is not None
    assert log.read_text().split() == [str(os.getpid()), str(server._process.pid)]


def test_a_module_that_fails_elsewhere_is_an_error_of_the_workers(installed) -> None:
    module, _ = installed("fails_elsewhere", f"if os.getpid() != {os.getpid()}:\n    raise ValueError('not here')")
    with pytest.raises(RuntimeError, match="could not load the function: not here"):
        rows(module.twice)
    assert doubled() == [0, 2, 4, 6, 8]


def test_a_module_that_ends_a_process_ends_no_program(installed) -> None:
    module, _ = installed("ends_elsewhere", f"if os.getpid() != {os.getpid()}:\n    os._exit(3)")
    with pytest.raises(RuntimeError, match=r"worker 0 \(process \d+\) ended with exit code 3 while it loaded"):
        rows(module.twice)
    assert doubled() == [0, 2, 4, 6, 8]
