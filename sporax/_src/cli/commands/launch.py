"""`sporax launch`: one program as several processes that exchange values, started as `msrun` starts them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import click

import sporax
from sporax._src.base import config
from sporax._src.cli.commands.plan import MACHINE, show
from sporax._src.cli.commands.run import no_file
from sporax._src.cli.hosts import hosts_of, signals_to_end, start_on
from sporax._src.processes import machines, rendezvous, run_secret, world
from sporax._src.processes.service import Service

_GRACE = 5.0  # seconds a process has to end by itself after another one failed
_TIME_TO_SAVE = 30.0  # seconds it has to end after a signal: as much as Kubernetes and Slurm give
_LOOK = 0.1  # seconds between checks for signals
_OPTIONS = "sporax.launch.options"

Ended = queue.SimpleQueue[tuple[int, int]]  # the processes that ended, with their status, in that order


class LaunchCommand(click.Command):
    """A command whose options end at the program; later ones belong to the program."""

    allow_interspersed_args = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and keep the options as they are, for launchers on other machines."""
        given = args.copy()
        rest = super().parse_args(ctx, args)
        options = given[: len(given) - len(ctx.params.get("program", ()))]
        ctx.meta[_OPTIONS] = options[:-1] if options[-1:] == ["--"] else options
        return rest


class _Cores(click.ParamType):
    """The type of `--bind_core`: a bool, or the cores of each device, as `{"device0": ["0-3"]}`."""

    name = "true|false|json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a bool, or a set of cores by the device's number."""
        if isinstance(value, bool) or value.lower() in ("true", "false"):
            return value if isinstance(value, bool) else value.lower() == "true"
        try:
            return {
                int(device.removeprefix("device")): {c for part in parts for c in self._range(part)}
                for device, parts in json.loads(value).items()
            }
        except (AttributeError, TypeError, ValueError):
            self.fail(f'expected true, false or {{"device0": ["0-3"], ...}}, got {value!r}.', param, ctx)

    @staticmethod
    def _range(part: str) -> range:
        first, last = part.split("-")
        return range(int(first), int(last) + 1)


class _Locals(click.ParamType):
    """The type of `--tail_worker_log`: the numbers of processes on this machine, or -1 for all."""

    name = "-1|0,1,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the numbers."""
        try:
            return {int(number) for number in value.split(",")}
        except ValueError:
            self.fail(f"expected numbers of processes such as 0,1, got {value!r}.", param, ctx)


@click.command(cls=LaunchCommand)
@click.option("-n", "--worker_num", type=click.IntRange(1), default=8, show_default=True, help="Processes of the run.")
@click.option("--local_worker_num", type=click.IntRange(1), help="Those of them on this machine; all if not given.")
@click.option("--master_addr", default="127.0.0.1", show_default=True, help="The machine of node 0.")
@click.option("--master_port", type=click.IntRange(1, 65535), default=8118, show_default=True, help="Where they meet.")
@click.option("--interface", default="", help="The network interface of gloo and NCCL, such as eth0.")
@click.option(
    "--hostfile",
    default="",
    help="Start a launcher by ssh on each machine of a file with lines such as `node1 slots=8`; the first is node 0.",
)
@click.option(
    "--node_rank", type=click.IntRange(-1), default=-1, help="The number of this machine; as they arrive if not given."
)
@click.option(
    "--log_dir", type=click.Path(file_okay=False), help="Write each process's output to worker_RANK.log here."
)
@click.option(
    "--worker_log_name", default="worker", help="What the files are called; {ip} and {hostname} are this machine's."
)
@click.option(
    "--tail_worker_log",
    type=_Locals(),
    help="Which local processes' output is shown here besides, such as 0,1; -1: all.",
)
@click.option("--join", type=bool, default=True, help="Accepted: the launcher always waits for its processes.")
@click.option(
    "--bind_core", type=_Cores(), default=None,
    help='Give each process cores of its own (on by default on CPU), or those that {"device0": ["0-3"], ...} names.',
)  # fmt: skip
@click.option(
    "--cluster_time_out",
    type=int,
    default=600,
    show_default=True,
    help="Seconds to wait for all to meet; negative: ever.",
)
@click.option(
    "--silence",
    type=click.IntRange(4),
    default=15,
    show_default=True,
    help="Seconds after which a machine that cannot be reached ends the run.",
)
@click.option(
    "--max_restarts",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Start all processes again so many times after one has failed, or all have stopped with status 75.",
)
@click.option(
    "--min_worker_num",
    type=click.IntRange(1),
    help="The least number of processes with which the run may begin or start again if machines do not come; all if not given.",
)
@click.option(
    "--grace",
    type=click.FloatRange(0),
    default=_TIME_TO_SAVE,
    show_default=True,
    help="Seconds in which processes may save and end after a signal.",
)
@click.option("--rank_table_file", default="", help="Given to the processes as RANK_TABLE_FILE.")
@click.option(
    "--sim_level", type=click.IntRange(0, 3), help="Start no processes, and show what they would need instead."
)
@click.option("--sim_rank_id", type=int, default=-1, help="Accepted: process 0 stands for all.")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
@click.pass_context
def launch(
    ctx: click.Context,
    worker_num: int,
    local_worker_num: int | None,
    master_addr: str,
    master_port: int,
    interface: str,
    hostfile: str,
    node_rank: int,
    log_dir: str | None,
    worker_log_name: str,
    tail_worker_log: set[int] | None,
    bind_core: object,
    cluster_time_out: int,
    silence: int,
    max_restarts: int,
    min_worker_num: int | None,
    grace: float,
    rank_table_file: str,
    sim_level: int | None,
    program: Sequence[str],
    **_: object,
) -> None:
    """Run a program as several processes, one device each.

    Each process finds its rank in RANK_ID and the number of processes in RANK_SIZE; `init()` of `mindspore.communication` joins
    them. If one fails, or all wait for each other, the others are ended, and the launcher's status is not 0. SIGTERM and SIGINT are
    passed on as SIGTERM; if the processes save and stop (`OnRequestExit`), the status is 75. With `--sim_level` it only does what
    `sporax plan` does.
    """
    if sim_level is not None:
        return show(program, [worker_num], MACHINE, sim_level)
    if not program[0].startswith("-") and not os.path.exists(program[0]):
        raise click.UsageError(no_file(program[0]))
    if hostfile and min_worker_num is not None:
        raise click.UsageError("--min_worker_num: with --hostfile a run ends with the first machine that is lost.")
    if hostfile:
        sys.exit(_on_hosts(ctx, hostfile, worker_num, master_addr, grace, program))
    local, node = local_worker_num or worker_num, max(node_rank, 0)
    if local > worker_num:
        raise click.UsageError(f"node {node} with {local} processes exceeds the run's {worker_num}.")
    if min_worker_num is not None and min_worker_num > worker_num:
        raise click.UsageError(f"--min_worker_num is {min_worker_num}, greater than the run's {worker_num} processes.")
    there = [name for _, name in socket.if_nameindex()]
    if interface and interface not in there:
        raise click.UsageError(f"--interface: this machine has no {interface!r}; it has {', '.join(there)}.")
    address = f"{master_addr}:{master_port}"
    secret = _secret(address, local == worker_num)
    cores = _cores(local, bind_core)
    stem = worker_log_name.replace("{ip}", _own_address()).replace("{hostname}", socket.gethostname())
    shared = {
        "MS_ROLE": "MS_WORKER", "MS_SCHED_HOST": master_addr, "MS_SCHED_PORT": master_port, world.TIMEOUT: cluster_time_out,
        run_secret.SECRET: secret,
    } | ({"RANK_TABLE_FILE": rank_table_file} if rank_table_file else {})  # fmt: skip
    shared |= dict.fromkeys(("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"), interface) if interface else {}
    same = machines.program_of(program, sporax.__version__, worker_num)
    own = machines.Node(socket.gethostname(), local, node_rank, same)

    def meet() -> machines.Meeting:
        if local == worker_num:
            return machines.Meeting(0, worker_num, address, {}, _host(address, worker_num))
        patience = cluster_time_out if cluster_time_out >= 0 else world.EVER
        try:
            met = machines.gather(address, worker_num, own, secret, patience, silence, min_worker_num or 0)
            return met or machines.attend(address, own, secret, patience, silence)
        except RuntimeError as error:
            raise click.ClickException(str(error)) from None

    def worker(rank: int, i: int) -> _Worker:
        log = None if log_dir is None else Path(log_dir) / f"{stem}_{rank}.log"
        is_shown = log is None if tail_worker_log is None else bool(tail_worker_log & {-1, i})
        head = f"[{rank}] ".encode() if worker_num > 1 else b""
        return _Worker(rank, i, cores[i], log, head if is_shown else None)

    for restarts in range(max_restarts + 1):
        met = meet()
        workers = [worker(met.first + i, i) for i in range(local)]
        sizes = dict.fromkeys(("RANK_SIZE", "MS_WORKER_NUM"), met.size)
        variables = shared | sizes | {world.COORDINATOR: met.address, "SPORAX_RESTARTS": restarts}
        with signals_to_end() as received:
            status = _attempt(program, variables, workers, met, received, grace)
        if status == 0 or received or restarts == max_restarts:
            break
        click.echo(f"sporax launch: all processes start again, {restarts + 1} of {max_restarts} times.", err=True)
    sys.exit(status)


class _Worker(NamedTuple):
    """A process of the run on this machine.

    Attributes:
        rank: Its rank.
        local: Its number on this machine.
        cores: The cores that it may use; None: any.
        log: The file for its output, if any.
        head: The prefix of each line of its output when shown here; None: it is not shown.
    """

    rank: int
    local: int
    cores: set[int] | None
    log: Path | None
    head: bytes | None


def _attempt(
    program: Sequence[str],
    shared: dict[str, Any],
    workers: Sequence[_Worker],
    met: machines.Meeting,
    received: list[int],
    grace: float,
) -> int:
    """Start all processes of this machine, and return the status of the run when they have ended.

    Args:
        program: The program and its arguments.
        shared: The variables to set in the environment of all processes.
        workers: The processes.
        met: The launchers of other machines.
        received: Receives the numbers of signals to end.
        grace: Seconds in which processes may end after a signal.
    """
    ended: Ended = queue.SimpleQueue()
    with contextlib.ExitStack() as stack:
        joined = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sporax-")))
        processes = {}
        for worker in workers:
            rank = worker.rank
            named = {
                "RANK_ID": rank, "MS_NODE_ID": rank, "MS_NODE_RANK": rank, "DEVICE_ID": worker.local,
                rendezvous.JOINED: joined / str(rank),
            }  # fmt: skip
            processes[rank] = stack.enter_context(_process(program, shared | named, worker))
            threading.Thread(target=_note_end, args=(rank, processes[rank], ended), daemon=True).start()
        status = _watch(processes, ended, met, received, grace)
        if status == 0 and met.size > 1 and not any(joined.iterdir()):
            click.echo(
                f"sporax launch: {program[0]} never called init() of mindspore.communication: its {met.size} processes did "
                "the same, each alone.",
                err=True,
            )
    return status


def _on_hosts(ctx: click.Context, file: str, processes: int, address: str, grace: float, program: Sequence[str]) -> int:
    """Start a launcher on each host of a file, and return the status of the run."""
    default = click.core.ParameterSource.DEFAULT
    try:
        found = hosts_of(file)
    except (OSError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    slots = sum(host.slots for host in found)
    if ctx.get_parameter_source("worker_num") is default:
        processes = slots
    if processes != slots:
        raise click.UsageError(f"the hosts of {file} have {slots} slots, the run {processes} processes.")
    if ctx.get_parameter_source("master_addr") is default:
        address = found[0].name
    options = [*ctx.meta[_OPTIONS], "--worker_num", str(processes), "--master_addr", address]
    secret = config.environ(run_secret.SECRET) or run_secret.new_secret()
    return start_on(found, options, program, secret, grace + _GRACE)


def _secret(address: str, are_all_here: bool) -> str:
    """Return the secret of the processes: the user's, or a new one if all of them run on this machine."""
    if are_all_here and not config.environ(run_secret.SECRET):
        return run_secret.new_secret()
    try:
        return run_secret.secret_of(address)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def _own_address() -> str:
    """Return the address of this machine in the network."""
    try:
        return rendezvous.address_towards("192.0.2.1:9")
    except OSError:
        return "127.0.0.1"


def _host(address: str, processes: int) -> Service:
    """Host the coordination service of the processes."""
    try:
        return rendezvous.host(address, processes)
    except RuntimeError as error:
        raise click.ClickException(f"{error}; name another --master_port.") from None


def _cores(processes: int, bind: object) -> list[set[int] | None]:
    """Return the cores of each process: the named ones, an equal share of all, or None for no binding."""
    if isinstance(bind, dict):
        return [bind.get(i) for i in range(processes)]
    cores = sorted(os.sched_getaffinity(0)) if bind is not False and hasattr(os, "sched_getaffinity") else []
    share = len(cores) // processes
    return [set(cores[i * share : (i + 1) * share]) if share else None for i in range(processes)]


@contextlib.contextmanager
def _process(program: Sequence[str], named: dict[str, Any], worker: _Worker) -> Iterator[subprocess.Popen[bytes]]:
    """Start one process of the run; it ends with the block.

    Args:
        program: The program and its arguments.
        named: The variables to set in its environment.
        worker: The process.
    """
    environment = config.environment({name: str(value) for name, value in named.items()})
    command = [sys.executable, "-m", "sporax", "run", *program]
    if worker.cores is not None:
        command = ["taskset", "-c", ",".join(map(str, sorted(worker.cores))), *command]
    file = None
    if worker.log is not None:
        worker.log.parent.mkdir(parents=True, exist_ok=True)
        file = worker.log.open("ab" if named["SPORAX_RESTARTS"] else "wb")
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    teller = threading.Thread(target=_tell, args=(process.stdout, file, worker.head))
    teller.start()
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        teller.join()
        if file is not None:
            file.close()


def _tell(lines: IO[bytes], file: IO[bytes] | None, head: bytes | None) -> None:
    for line in lines:
        if file is not None:
            file.write(line)
            file.flush()
        if head is not None:
            sys.stdout.buffer.write(head + line)
            sys.stdout.buffer.flush()


def _note_end(rank: int, process: subprocess.Popen[bytes], ended: Ended) -> None:
    ended.put((rank, process.wait()))


def _watch(
    processes: dict[int, subprocess.Popen[bytes]],
    ended: Ended,
    met: machines.Meeting,
    received: list[int],
    grace: float,
) -> int:
    """Wait until all processes ended, or one failed and the others were ended; return the run's status."""
    left: dict[int, int] = {}  # status of those that ended, in that order
    why = ""
    while not received and not why and not any(left.values()):
        if len(left) == len(processes):
            why = met.wait_for_others(received)
            break
        with contextlib.suppress(queue.Empty):
            left.update([ended.get(timeout=_LOOK)])
        why = met.why_others_ended()
    if received:
        _end(processes, grace)
    elif not why and set(left.values()) <= {0, rendezvous.RESUMABLE}:
        _wait(processes, grace)  # the others save, too
    statuses = {process.poll() for process in processes.values()}
    if not why and statuses == {0}:
        met.end("")
        return 0
    if statuses == {rendezvous.RESUMABLE}:
        met.wait_for_others(received)
        met.end("")
        click.echo("sporax launch: all processes have saved and stopped; the run can go on.", err=True)
        return rendezvous.RESUMABLE
    _end(processes, _GRACE)
    status, why = _outcome(left, received, why)
    met.end(why)
    click.echo(f"sporax launch: {why}", err=True)
    return status


def _outcome(left: dict[int, int], received: list[int], why: str) -> tuple[int, str]:
    """Return the status of a run that was ended, and the reason."""
    if received:
        return 128 + received[0], f"{signal.Signals(received[0]).name} came; all processes were ended."
    if why:
        return 1, f"{why.removesuffix('.')}; the processes of this machine were ended."
    rank, status = list(left.items())[-1]
    how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    before = f" after process {', '.join(map(str, list(left)[:-1]))} had ended" if len(left) > 1 else ""
    return status if status > 0 else 128 - status, f"process {rank} {how}{before}; the others were ended."


def _end(processes: dict[int, subprocess.Popen[bytes]], grace: float) -> None:
    """Ask processes to end, and wait for them so many seconds."""
    for process in processes.values():
        if process.poll() is None:
            process.terminate()
            process.send_signal(signal.SIGCONT)  # one that is stopped does not see the signal before
    _wait(processes, grace)


def _wait(processes: dict[int, subprocess.Popen[bytes]], grace: float) -> None:
    end = time.monotonic() + grace
    while time.monotonic() < end and any(process.poll() is None for process in processes.values()):
        time.sleep(_LOOK)
