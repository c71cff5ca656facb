"""The hosts of a file, on each of which `sporax launch --hostfile` starts a launcher by ssh."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from sporax._src.base.config import environment
from sporax._src.processes import run_secret

_LINE = re.compile(r"(?P<host>[^\s:]+|\[[^\s\]]+\])(?:\s+slots\s*=\s*|:)?(?P<slots>\d+)?")
_HERE = ("localhost", "127.0.0.1", "::1")
_PASSED = re.compile("(SPORAX|MS|JAX|XLA|NCCL|GLOO|CUDA|OMP)_.*|PYTHONPATH")  # variables for all machines
_LOOK = 0.1  # seconds between looks at the launchers
_SSH_FAILED = 255
# The launcher ends when this machine closes the connection, or is lost: `cat` reads to the end of what it is told.
_START = """
IFS= read -r {secret}; export {secret}; exec 3<&0
{command} </dev/null & launcher=$!
(cat <&3 >/dev/null 2>&1; kill -TERM $launcher 2>/dev/null) >/dev/null 2>&1 & watch=$!
wait $launcher; status=$?
while kill -0 $launcher 2>/dev/null; do wait $launcher; status=$?; done
kill $watch 2>/dev/null; exit $status
"""


class Host(NamedTuple):
    """A machine of a run.

    Attributes:
        name: Its name or address.
        slots: How many processes it gets.
    """

    name: str
    slots: int


def hosts_of(file: str) -> list[Host]:
    """Return the hosts of a file: a line for each, such as `node1 slots=8` or `node1:8`; # begins a comment.

    Raises:
        ValueError: If a line is none of these, a host is named twice, or there is no host.
    """
    found: list[Host] = []
    for number, text in enumerate(Path(file).read_text().splitlines(), 1):
        line = text.partition("#")[0].strip()
        if not line:
            continue
        parts = _LINE.fullmatch(line)
        if parts is None or parts["slots"] == "0":
            raise ValueError(f"{file}, line {number}: expected a host such as `node1 slots=8`, got {line!r}.")
        if any(host.name == parts["host"] for host in found):
            raise ValueError(f"{file}, line {number}: the host {parts['host']} is named twice.")
        found.append(Host(parts["host"], int(parts["slots"] or 1)))
    if not found:
        raise ValueError(f"{file} names no host; a line is, for example, `node1 slots=8`.")
    return found


def start_on(hosts: Sequence[Host], options: Sequence[str], program: Sequence[str], secret: str, grace: float) -> int:
    """Start a launcher on each host, and return the status of the run when all have ended.

    If one fails, the others end by themselves, because the launchers watch each other; if ssh fails, they are ended.

    Args:
        hosts: The machines, in the order of their ranks.
        options: Options for all launchers.
        program: The program and its arguments.
        secret: The secret of the run. No command line contains it.
        grace: Seconds in which the launchers may end after a signal.
    """
    with contextlib.ExitStack() as stack:
        received = stack.enter_context(signals_to_end())
        started = {}
        for node, host in enumerate(hosts):
            own = ["--hostfile", "", "--local_worker_num", host.slots, "--node_rank", node]
            command = [sys.executable, "-m", "sporax", "launch", *options, *own, "--", *program]
            started[host.name] = stack.enter_context(_launcher(host.name, list(map(str, command)), secret))
        until = None
        while any(process.poll() is None for process in started.values()):
            is_lost = any(process.poll() == _SSH_FAILED for process in started.values())
            if (received or is_lost) and until is None:
                until = time.monotonic() + grace
                for process in started.values():
                    _hang_up(process)
            if until is not None and time.monotonic() > until:
                break
            time.sleep(_LOOK)
        statuses = {name: process.poll() for name, process in started.items()}
    for name, status in statuses.items():
        if status == _SSH_FAILED:
            click.echo(f"sporax launch: ssh could not start a launcher on {name}, or lost it.", err=True)
    if received:
        return next((s for s in statuses.values() if s), 128 + received[0])
    return next((s for s in statuses.values() if s), 0)


@contextlib.contextmanager
def _launcher(host: str, command: Sequence[str], secret: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a launcher on a host; it ends with the block."""
    variables = [
        f"export {name}={shlex.quote(value)}"
        for name, value in environment({}).items()
        if _PASSED.fullmatch(name) and name != run_secret.SECRET
    ]
    start = _START.format(secret=run_secret.SECRET, command=shlex.join(command))
    script = "\n".join([f"cd {shlex.quote(os.getcwd())} || exit 1", *variables, start])
    is_here = host in (*_HERE, socket.gethostname())
    line = (
        ["sh", "-c", script] if is_here else ["ssh", "-o", "BatchMode=yes", host, f"exec sh -c {shlex.quote(script)}"]
    )
    process = subprocess.Popen(line, stdin=subprocess.PIPE, start_new_session=True)
    assert process.stdin is not None
    try:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{secret}\n".encode())
            process.stdin.flush()
        yield process
    finally:
        _hang_up(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK)
        process.kill()
        process.wait()


def _hang_up(process: subprocess.Popen[bytes]) -> None:
    """Close the connection to a launcher, which ends then."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it has ended
        process.stdin.close()


@contextlib.contextmanager
def signals_to_end() -> Iterator[list[int]]:
    """Yield a list that receives the number of a signal to end."""
    received: list[int] = []
    before = {s: signal.signal(s, lambda number, _: received.append(number)) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
