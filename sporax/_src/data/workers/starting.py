"""The program's side of the fork server: one for each process, started with the first worker."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

REQUEST = struct.Struct(
    "<qqd"
)  # its number; the number of a worker to end, 0 to start one, LOAD; how many seconds it may take, or bytes follow
REPLY = struct.Struct(
    "<qq"
)  # the number of the request; that of the new worker, or how it ended; an error number below zero
LOAD = -1
MOST_FILES = 32
_FOLDER = str(Path(__file__).resolve().parents[3])
# The package without its __init__, which would load JAX.
_PROGRAM = """
import json, sys, types
package = types.ModuleType("sporax")
folder, sys.path[:] = json.loads(sys.argv.pop())
package.__path__ = [folder]
sys.modules["sporax"] = package
from sporax._src.data.workers import fork_server
fork_server.main(folder)
"""


class ForkServer:
    """A process that forks workers."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-P", "-c", _PROGRAM, json.dumps([_FOLDER, sys.path])]
            self._process = subprocess.Popen(command, stdin=theirs.fileno(), start_new_session=True)
        self._control = ours
        self._requests = 0
        self._starts: set[int] = set()  # requests for workers without a reply
        self._loaded: set[str] = set()
        self._end = weakref.finalize(self, _close, ours, self._process, os.getpid())

    def start(self, files: Sequence[int]) -> int:
        """Return the number of a new worker that has these files.

        Raises:
            OSError: If the system makes no more processes.
        """
        worker = self._answer(0, 0.0, files)
        if worker < 0:
            raise OSError(-worker, os.strerror(-worker))
        return worker

    def load(self, modules: Sequence[str]) -> None:
        """Import modules once for all workers that start later; a module that cannot be imported is left to them."""
        new = [name for name in modules if name not in self._loaded]
        if new:
            self._loaded.update(new)
            data = json.dumps([sys.path, new]).encode()
            self._answer(LOAD, len(data), data=data)

    def end(self, worker: int, patience: float) -> int:
        """Return how a worker ended, as `subprocess` numbers it; it is killed if that takes too many seconds."""
        return self._answer(worker, patience)

    def _answer(self, worker: int, patience: float, files: Sequence[int] = (), data: bytes = b"") -> int:
        """Return the reply to a request. Replies to earlier ones, which were interrupted, may come before it."""
        self._requests += 1
        number = self._requests
        if not worker:
            self._starts.add(number)
        socket.send_fds(self._control, [REQUEST.pack(number, worker, patience)], files)
        self._control.sendall(data)
        lost: list[int] = []  # workers that nobody knows of
        while (answer := self._reply())[0] != number:
            if answer[0] in self._starts and answer[1] > 0:
                lost.append(answer[1])
            self._starts.discard(answer[0])
        self._starts.discard(number)
        for other in lost:
            self._answer(other, 0.0)
        return answer[1]

    def _reply(self) -> tuple[int, int]:
        """Return the number of a request, and the reply to it."""
        data = self._control.recv(REPLY.size, socket.MSG_WAITALL)
        if len(data) < REPLY.size:
            raise ConnectionError("the fork server has ended")
        number, reply = REPLY.unpack(data)
        return number, reply

    def close(self) -> None:
        """End the process."""
        self._end()

    def forget(self) -> None:
        """Leave the process to the program that this one was forked from."""
        self._end.detach()
        self._control.close()
        self._process.returncode = 0  # nothing of ours to wait for


def _close(control: socket.socket, process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() == owner:
        try:
            control.shutdown(socket.SHUT_RDWR)  # whoever else has a copy of it
        except OSError:  # the server has ended already
            pass
        control.close()
        process.wait()


_server: ForkServer | None = None
_left: set[str] = set()
_lock = threading.Lock()


def prepare() -> None:
    """Start the fork server unless it runs: before what must end ahead of it, when the program ends."""
    global _server
    with _lock:
        _server = _server or ForkServer()


def started(files: Sequence[int], modules: Sequence[str] = ()) -> int:
    """Return the number of a new worker that has these files.

    A fork server that has ended is replaced. The new one leaves these modules to the workers: one of them may have been the cause.

    Args:
        files: The files.
        modules: Modules that the fork server imports before, so that its next workers have them, too.
    """
    global _server
    with _lock:
        _server = _server or ForkServer()
        try:
            _server.load([name for name in modules if name not in _left])
            return _server.start(files)
        except ConnectionError:
            _left.update(modules)
            _server.close()
        _server = ForkServer()
        return _server.start(files)


def ended(worker: int, patience: float) -> int | None:
    """Return how a worker ended; None if that is not known, because the fork server has ended, and the worker with it."""
    with _lock:
        try:
            return None if _server is None else _server.end(worker, patience)
        except OSError:
            return None


def _forget() -> None:
    global _server, _lock
    _lock = threading.Lock()
    if _server is not None:
        _server.forget()
        _server = None


os.register_at_fork(after_in_child=_forget)
