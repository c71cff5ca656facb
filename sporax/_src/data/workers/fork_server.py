"""The process that forks workers. It loads what workers need once, and has no threads of its own.

The program sends requests of one size through the standard input, with the files of a new worker. A worker is reaped only when
the program asks for that, so its number belongs to no other process before. When the program ends, however it does, the input
ends: then this process kills the workers that are left.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import socket
import sys
import time
import traceback
import warnings

import cloudpickle  # noqa: F401

import sporax._src.data.sources  # noqa: F401
from sporax._src.data.workers import absent
from sporax._src.data.workers.serve import serve
from sporax._src.data.workers.starting import LOAD, MOST_FILES, REPLY, REQUEST

_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_KEPT = {-3: 1 << 25, -1: 1 << 28}  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD: bytes


def main(folder: str) -> None:
    """Answer requests until the program ends.

    Args:
        folder: The folder of sporax.
    """
    control = socket.socket(fileno=os.dup(0))
    os.set_inheritable(control.fileno(), False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    warnings.filterwarnings(
        "ignore", "This process .* is multi-threaded", DeprecationWarning
    )  # BLAS, which expects forks
    absent.install(folder)
    _keep_memory()
    workers: set[int] = set()
    try:
        while True:
            request, files, _, _ = socket.recv_fds(control, REQUEST.size, MOST_FILES)
            if not request:
                return
            number, worker, patience = REQUEST.unpack(request)
            workers.discard(worker)
            if worker == LOAD:
                reply = 0
                _load(control, int(patience))
            else:
                reply = ended(worker, patience) if worker else _started(control, files, workers)
            control.sendall(REPLY.pack(number, reply))
    except ConnectionError:  # it was killed between a request and the answer
        return
    finally:
        for worker in workers:
            ended(worker, 0)


def _keep_memory() -> None:
    """Have workers use the memory of one row for the next: to fetch it anew from the system costs more than to copy the row."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc's
    if mallopt is not None:
        for option, size in _KEPT.items():
            mallopt(option, size)


def _load(control: socket.socket, size: int) -> None:
    """Import the modules whose names follow, as far as that is possible."""
    data = b""
    while len(data) < size:
        piece = control.recv(size - len(data))
        if not piece:
            raise ConnectionError
        data += piece
    sys.path[:], modules = json.loads(data)
    absent.Absent.is_lenient = True
    for module in modules:
        with contextlib.suppress(Exception, SystemExit):  # a worker that needs it has the same error, and reports it
            importlib.import_module(module)
    absent.Absent.is_lenient = False


def _started(control: socket.socket, files: list[int], workers: set[int]) -> int:
    try:
        worker = os.fork()
    except OSError as error:
        return -(error.errno or 1)
    if worker == 0:
        _work(control, files)
    for file in files:
        os.close(file)
    workers.add(worker)
    return worker


def _work(control: socket.socket, files: list[int]) -> None:
    """Be a worker, in a process group of its own with all that it starts."""
    code = 1
    try:
        os.setpgid(0, 0)
        parent = os.getppid()
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() == parent:
            control.close()
            serve(files)
            code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def ended(worker: int, patience: float) -> int:
    """Wait for a worker that is to end, then kill what is left of its group, and return how it ended."""
    deadline = time.monotonic() + patience
    try:
        while os.waitid(os.P_PID, worker, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and time.monotonic() < deadline:
            time.sleep(0.001)
        try:
            os.killpg(worker, signal.SIGKILL)
        except ProcessLookupError:  # it had no time to make its group
            os.kill(worker, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    except ChildProcessError:  # of a fork server before this one
        return 0
