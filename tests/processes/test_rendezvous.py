"""Strangers who reach the address at which a run meets: none runs code in it, and it ends right or with one error."""

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest
import stranger
from launching import PROGRAMS, command, free_port
from run_table import KNOWN, Table

from sporax._src.processes import rendezvous, store
from sporax._src.processes.service import Service

PROGRAM = PROGRAMS / "doors.py"


POINTS = ("take", "send")


class Run:
    """A run of two processes, which wait at POINTS until they are let go on."""

    def __init__(self, folder: Path, *waits: str) -> None:
        self.folder, port = folder, free_port()
        self.address = f"127.0.0.1:{port}"
        self.let(*(point for point in POINTS if point not in waits))
        start = command("--master_port", port, PROGRAM, folder)
        self.process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def let(self, *points: str) -> None:
        """Let the processes go on."""
        for point in points:
            (self.folder / point).touch()

    def wait_for(self, *names: str) -> None:
        """Wait until the processes have written files."""
        end = time.monotonic() + 100
        while not all((self.folder / name).exists() for name in names):
            assert self.process.poll() is None and time.monotonic() < end, self.process.communicate()[0]
            time.sleep(0.05)

    def end(self) -> tuple[int, str]:
        """Return the status and what was printed."""
        printed = self.process.communicate(timeout=200)[0]
        assert not (self.folder / "planted").exists(), "code of a stranger was run"
        return self.process.returncode, printed

    def ends_right(self) -> str:
        """Check that the run ends as without strangers, and return what was printed."""
        status, printed = self.end()
        assert status == 0 and printed.count("right") == 2, printed
        return printed

    def ends_with(self, error: str) -> None:
        """Check that one process ends with one error."""
        status, printed = self.end()
        assert status == 1 and printed.count(f"RuntimeError: {error}") + printed.count(f"ForeignEntry: {error}") == 1, (
            printed
        )


@pytest.fixture
def run(tmp_path, request):
    """Start a run that waits at the points that the test names."""
    started = Run(tmp_path, *getattr(request, "param", ()))
    yield started
    started.process.kill()
    started.process.communicate()


def _strange(how: str, address: str, folder: Path) -> list[str]:
    return [sys.executable, stranger.__file__, how, address, str(folder / "planted")]


def _writes(run: Run, how: str) -> None:
    """Have a stranger write into the table of a run."""
    done = subprocess.run(_strange(how, run.address, run.folder), stdout=subprocess.PIPE, timeout=100)
    assert done.stdout == b"done\n"


def _joins(address: str, folder: Path, rank: int, secret: str | None) -> subprocess.CompletedProcess:
    """Run a process that somebody starts by hand."""
    shared = {name: value for name, value in os.environ.items() if name != "SPORAX_SECRET"}
    named = {"SPORAX_COORDINATOR": address, "RANK_ID": str(rank), "RANK_SIZE": "2", "DEVICE_ID": str(rank)}
    return subprocess.run(
        [sys.executable, "-m", "sporax", "run", str(PROGRAM), str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
        env=shared | named | ({} if secret is None else {"SPORAX_SECRET": secret}),
    )  # fmt: skip


@pytest.mark.parametrize("run", [("send",)], indirect=True)
def test_garbage_and_open_connections_end_nothing(run: Run):
    stranger.wait_for_service(run.address)
    body = stranger.pickled(run.folder / "planted")
    opened = [
        *stranger.connections(run.address, body * 100),
        *stranger.connections(run.address, b"PRI * HTTP/2.0\r\n\r\n"),
    ]
    opened += stranger.connections(run.address, b"")
    run.wait_for("taken")
    opened += stranger.connections(run.address, os.urandom(10_000))
    run.let("send")
    run.ends_right()
    for connection in opened:
        connection.close()


def test_a_planted_pickle_would_make_its_file(tmp_path):
    pickle.loads(stranger.pickled(tmp_path / "planted"))
    assert (tmp_path / "planted").exists()


@pytest.mark.parametrize("run", [("send",)], indirect=True)
def test_a_pickle_of_a_stranger_is_refused(run: Run):
    run.wait_for("taken")
    _writes(run, "forges")
    run.ends_with(f"process 1: the entry '{stranger.SECOND}' is not signed with the secret of this run")


@pytest.mark.parametrize("run", [("take", "send")], indirect=True)
def test_a_message_that_is_sent_again_is_refused(run: Run):
    run.wait_for("sent")
    _writes(run, "replays")
    run.let("take")
    run.ends_with(f"process 1: the entry '{stranger.SECOND}' is not signed with the secret of this run")


def test_a_stranger_who_enters_first_is_told(tmp_path):
    address = f"127.0.0.1:{free_port()}"
    service = Service(address, 2)
    first = subprocess.Popen(_strange("enters", address, tmp_path), stdout=subprocess.PIPE)
    found = _joins(address, tmp_path, 0, KNOWN)
    assert first.communicate(timeout=100)[0] == b"done\n"
    error = (
        "ForeignEntry: process 0: the entry 'sporax/members/1' is not signed with the secret of this run; a stranger"
    )
    assert found.returncode == 1 and found.stdout.count(error) == 1, found.stdout
    service.end()


@pytest.fixture
def known(monkeypatch):
    """Give the run a secret that the test knows."""
    monkeypatch.setenv("SPORAX_SECRET", KNOWN)


SECONDS = {
    None: "ForeignEntry: process 1: the entry 'sporax/members/1' is not signed with the secret of this run; a stranger has",
    "another secret of a run": "has written it, or a process that has another SPORAX_SECRET.",
    KNOWN: "has a process 1 already; this one must have another number (RANK_ID, --node_rank), or all processes must",
}


@pytest.mark.parametrize("run", [("send",)], indirect=True)
def test_a_second_process_of_a_rank_is_refused_and_the_first_goes_on(known: None, run: Run):
    run.wait_for("taken", "pid 0", "pid 1")
    for secret, error in SECONDS.items():
        second = _joins(run.address, run.folder, 1, secret)
        assert second.returncode == 1 and second.stdout.count(error) == 1, second.stdout
    numbers = [run.process.pid, *(int((run.folder / f"pid {rank}").read_text()) for rank in range(2))]
    assert not [number for number in numbers if KNOWN.encode() in Path(f"/proc/{number}/cmdline").read_bytes()]
    run.let("send")
    assert KNOWN not in run.ends_right()


def test_a_process_that_does_not_come_is_named():
    with pytest.raises(RuntimeError, match=r"process 1 has not joined the run at 127\.0\.0\.1:1 in 0 s\."):
        store.enter(Table(), KNOWN.encode(), "127.0.0.1:1", 0, 2, 0)


@pytest.mark.parametrize(
    ("address", "told"), [("127.0.0.1:1", ""), ("192.0.2.1:1", "sporax: listening at 192.0.2.1:1, where")]
)
def test_who_listens_to_other_machines_says_so(monkeypatch, capsys, address: str, told: str):
    monkeypatch.setattr(rendezvous, "Service", lambda *_: None)
    monkeypatch.setattr(rendezvous.socket.socket, "bind", lambda *_: None)
    rendezvous.host(address, 2)
    printed = capsys.readouterr().err
    assert printed.startswith(told) and printed.count("\n") == bool(told)
