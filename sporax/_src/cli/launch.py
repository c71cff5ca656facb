"""`sporax launch`: one program as several processes that exchange values, started as `msrun` starts them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import click

from sporax._src.base import config, jax_compat, world
from sporax._src.cli.plan import MACHINE, show

_GRACE = 5.0  # seconds that a process has to end by itself once another one failed
_LOOK = 0.1  # seconds between looks at the processes


class LaunchCommand(click.Command):
    """A command whose own options end at the program, which keeps those behind it."""

    allow_interspersed_args = False


@click.command(cls=LaunchCommand)
@click.option("-n", "--worker_num", type=click.IntRange(1), default=8, show_default=True, help="Processes of the run.")
@click.option("--local_worker_num", type=click.IntRange(1), help="Those of them on this machine; all if not given.")
@click.option("--master_addr", default="127.0.0.1", show_default=True, help="The machine of node 0.")
@click.option("--master_port", type=click.IntRange(1, 65535), default=8118, show_default=True, help="Where they meet.")
@click.option("--node_rank", type=click.IntRange(0), default=0, show_default=True, help="The number of this machine.")
@click.option(
    "--log_dir", type=click.Path(file_okay=False), help="Write each process's output to worker_RANK.log here."
)
@click.option("--join", type=bool, default=True, help="Accepted: the launcher always waits for its processes.")
@click.option("--bind_core", type=bool, default=None, help="Give each process cores of its own (on by default on CPU).")
@click.option("--cluster_time_out", type=int, default=600, help="Accepted.")
@click.option("--tail_worker_log", default="-1", help="Accepted.")
@click.option(
    "--sim_level", type=click.IntRange(0, 3), help="Start no processes, and show what they would need instead."
)
@click.option("--sim_rank_id", type=int, default=-1, help="Accepted: process 0 stands for all.")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def launch(
    worker_num: int,
    local_worker_num: int | None,
    master_addr: str,
    master_port: int,
    node_rank: int,
    log_dir: str | None,
    bind_core: bool | None,
    sim_level: int | None,
    program: Sequence[str],
    **_: object,
) -> None:
    """Run a program as several processes, one device each.

    Each process finds its number in RANK_ID and theirs in RANK_SIZE; `init()` of `mindspore.communication` joins them. If
    one fails, the others are ended, and the launcher's status is not 0. With `--sim_level` nothing is started but what
    `sporax plan` starts.
    """
    if sim_level is not None:
        return show(program, [worker_num], MACHINE, sim_level)
    local = local_worker_num or worker_num
    first = node_rank * local
    if first + local > worker_num:
        raise click.UsageError(f"node {node_rank} with {local} processes exceeds the run's {worker_num}.")
    address = f"{master_addr}:{master_port}"
    service = _host(address, worker_num) if node_rank == 0 else None
    cores = _cores(local) if bind_core is not False else [None] * local
    with contextlib.ExitStack() as stack:
        processes = {
            first + i: stack.enter_context(_process(program, address, first + i, worker_num, i, cores[i], log_dir))
            for i in range(local)
        }
        status = _watch(processes)
    del service
    sys.exit(status)


def _host(address: str, processes: int) -> object:
    """Host the service at which the processes meet."""
    host, port = address.rsplit(":", 1)
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, int(port)))
        except OSError as error:
            raise click.ClickException(
                f"cannot listen at {address} ({error.strerror}); name another --master_port."
            ) from None
    return jax_compat.coordinate(address, processes)


def _cores(processes: int) -> list[set[int] | None]:
    """Return the cores of each process: equal shares of those that this one may use, or all where there are too few."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    share = len(cores) // processes
    return [set(cores[i * share : (i + 1) * share]) if share else None for i in range(processes)]


@contextlib.contextmanager
def _process(
    program: Sequence[str], address: str, rank: int, size: int, local: int, cores: set[int] | None, log_dir: str | None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start one process of the run; it ends with the block."""
    host, port = address.rsplit(":", 1)
    named = {
        world.COORDINATOR: address, "RANK_ID": rank, "RANK_SIZE": size, "DEVICE_ID": local, "MS_WORKER_NUM": size,
        "MS_NODE_ID": rank, "MS_NODE_RANK": rank, "MS_ROLE": "MS_WORKER", "MS_SCHED_HOST": host, "MS_SCHED_PORT": port,
    }  # fmt: skip
    environment = config.environment({name: str(value) for name, value in named.items()})
    command = [sys.executable, "-m", "sporax", "run", *program]
    if cores is not None:
        command = ["taskset", "-c", ",".join(map(str, sorted(cores))), *command]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    log = None
    if log_dir is not None:
        Path(log_dir).mkdir(parents=True, exist_ok=True)
        log = (Path(log_dir) / f"worker_{rank}.log").open("wb")
    teller = threading.Thread(target=_tell, args=(process.stdout, log, f"[{rank}] ".encode() if size > 1 else b""))
    teller.start()
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        teller.join()
        if log is not None:
            log.close()


def _tell(lines: IO[bytes], log: IO[bytes] | None, head: bytes) -> None:
    for line in lines:
        if log is not None:
            log.write(line)
            log.flush()
        else:
            sys.stdout.buffer.write(head + line)
            sys.stdout.buffer.flush()


def _watch(processes: dict[int, subprocess.Popen[bytes]]) -> int:
    """Wait until all processes ended, or one failed and the others were ended; return the run's status."""
    with _told_to_end() as told:
        while True:
            states = {rank: process.poll() for rank, process in processes.items()}
            failed = {rank: status for rank, status in states.items() if status}
            if failed or told:
                break
            if all(status == 0 for status in states.values()):
                return 0
            time.sleep(_LOOK)
        for process in processes.values():
            if process.poll() is None:
                process.terminate()
        end = time.monotonic() + _GRACE
        while time.monotonic() < end and any(process.poll() is None for process in processes.values()):
            time.sleep(_LOOK)
    if told:
        return 128 + told[0]
    rank, status = next(iter(failed.items()))
    how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    click.echo(f"sporax launch: process {rank} {how}; the others were ended.", err=True)
    return status if status > 0 else 128 - status


@contextlib.contextmanager
def _told_to_end() -> Iterator[list[int]]:
    """Give a list that a signal to end puts its number into."""
    told: list[int] = []
    before = {s: signal.signal(s, lambda number, _: told.append(number)) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
