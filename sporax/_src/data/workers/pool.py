"""The worker processes of one operation: which rows each works on, and one clear error for whatever happens to one."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from sporax._src.base.signals import uninterrupted
from sporax._src.data import config, randomness
from sporax._src.data.row_calls import Answer
from sporax._src.data.workers import starting
from sporax._src.data.workers.blocks import SMALL, Block, Channel, unnamed_file
from sporax._src.data.workers.pickles import Parcel, error_again
from sporax._src.data.workers.serve import ASK, LOADING, Failure, Notes, Reply, Setup, Task

TASKS = 8  # of a worker at a time: so many answers can wait while a training step runs
_HIDDEN = (
    os.path.join("sporax", "_src"),
    '"<string>"',
    "Extension modules",
)  # what a user does not look for in a stack
_PATIENCE = 0.5  # seconds for a worker to finish its row when the iterator ends
_DYING = 5.0  # seconds for a process whose socket is closed to be gone
_STACK = 0.5  # seconds for a worker that hangs to write its stack


class Ticket:
    """The claim to the answer of one task."""

    def __init__(self, pool: Processes) -> None:
        self._pool = weakref.ref(pool)  # workers hold tickets, and must not hold the pool
        self.answer: Answer[Any] | None = None

    def get(self) -> Answer[Any]:
        """Return the answer, after waiting for it."""
        pool = self._pool()
        if self.answer is None and pool is not None:
            self.answer = pool.answer(self)
        assert self.answer is not None
        return self.answer


class Worker:
    """One process.

    Args:
        number: Which of the operation's workers it is, from 0.
        parcel: The function.
        is_sharing: Whether large rows go through memory.
    """

    def __init__(self, number: int, parcel: Parcel, is_sharing: bool) -> None:
        self.number = number
        self.tasks: deque[tuple[Ticket, int]] = deque()
        self.slots = list(range(TASKS))
        self.watch = -1
        self._notes_file, self._trace = unnamed_file(), unnamed_file()
        os.ftruncate(self._notes_file, Notes.SIZE)
        self._notes = Notes(self._notes_file)
        blocks = [Block(unnamed_file()) for _ in range(TASKS if is_sharing else 0)]
        ours, theirs = socket.socketpair()
        self.channel = Channel(ours, blocks)
        folder = os.open(".", os.O_RDONLY)
        try:
            with theirs:
                files = [theirs.fileno(), self._notes_file, self._trace, parcel.file, folder]
                self.process = starting.started([*files, *(block.file for block in blocks)], parcel.modules)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(folder)
        if hasattr(os, "pidfd_open"):  # a fork of the worker may keep its end of the socket open
            self.watch = os.pidfd_open(self.process)
        setup = Setup(sys.path, dict(config._values), sys.argv, parcel.sizes)
        self.channel.send(setup, 0)
        self._seen, self._since = self._notes.read(), time.monotonic()

    def row(self) -> int:
        """Return the row that it began last."""
        return self._notes.read()[0]

    def stuck_for(self) -> float:
        """Return for how many seconds it has worked on one row, as far as this was seen."""
        now, seen = time.monotonic(), self._notes.read()
        if seen != self._seen:
            self._seen, self._since = seen, now
        return now - self._since

    def begins(self) -> None:
        """Count the time of its next row from now."""
        self._since = time.monotonic()

    def stack(self) -> str:
        """Return where it is, or where it crashed; empty if it did not say."""
        lines = os.pread(self._trace, os.fstat(self._trace).st_size, 0).decode(errors="replace").splitlines()
        return "\n".join(line for line in lines if line and not any(part in line for part in _HIDDEN))

    def ask_stack(self) -> str:
        """Return where a worker that runs is; empty if it does not say so in time."""
        try:
            os.kill(self.process, ASK)
        except ProcessLookupError:
            return ""
        deadline, before, text = time.monotonic() + _STACK, "", ""
        while (not text or text != before) and time.monotonic() < deadline:  # until it has written all
            time.sleep(0.02)
            before, text = text, self.stack()
        return text

    def stop(self) -> None:
        """Let it end after its row."""
        try:
            self.channel.connection.shutdown(socket.SHUT_RDWR)
        except OSError:  # it has ended
            pass

    def close(self) -> None:
        """Close the files that belong to it."""
        self.channel.close()
        os.close(self._notes_file)
        os.close(self._trace)
        if self.watch >= 0:
            os.close(self.watch)


class Processes:
    """Worker processes that call one function for rows. Each is started with the first task for it.

    One thread asks for rows; any thread may call `end` meanwhile.

    Args:
        where: The operation, for messages.
        count: How many there are at most.
        function: What they call: ``function(number, item)``.
        user: What of it the user wrote, for messages.
        unit: What its numbers count, for messages.

    Raises:
        RuntimeError: If the function cannot be pickled.
    """

    def __init__(
        self, where: str, count: int, function: Callable[[int, Any], Any], user: object, unit: str = "row"
    ) -> None:
        self._where, self._unit, self.count = where, unit, count
        self._parcel = Parcel(where, function, user)
        starting.prepare()
        self._workers: list[Worker] = []
        self._is_sharing = config.get_enable_shared_mem()
        self._failed: BaseException | None = None
        self._lock = threading.RLock()  # of whoever uses the workers' files, or closes them
        self._finalizer = weakref.finalize(self, _end, self._workers, self._parcel, self._lock, os.getpid())

    def submit(self, key: randomness.Key, first: int, items: list[Any]) -> Ticket:
        """Have a worker call the function for items numbered from `first`."""
        ticket = Ticket(self)
        with self._lock:
            while self.is_alive:
                worker = self._chosen()
                if worker is not None:
                    self._give(worker, ticket, key, first, items)
                    break
                self._look(1.0)
            if not self.is_alive:
                ticket.answer = Answer([], self._failed or self._no_more())
        return ticket

    def _chosen(self) -> Worker | None:
        """Return the worker with the fewest tasks, a new one while all have some; None if no more can be given."""
        free = min(self._workers, key=lambda worker: len(worker.tasks), default=None)
        if (free is None or free.tasks) and len(self._workers) < self.count:
            with uninterrupted():  # else a process would be left that nobody knows of
                free = Worker(len(self._workers), self._parcel, self._is_sharing)
                self._workers.append(free)
        return free if free is not None and len(free.tasks) < (1 if free.channel.is_full else TASKS) else None

    def _give(self, worker: Worker, ticket: Ticket, key: randomness.Key, first: int, items: list[Any]) -> None:
        slot = worker.slots.pop()
        packed = worker.channel.packed(Task(slot, key, first, items), slot)
        if sum(map(len, packed)) > 2 * SMALL:  # no memory to share: while both sides send that much, neither would read
            while worker.tasks and self.is_alive:
                self._look(1.0)
        if not self.is_alive:
            return
        if not worker.tasks:
            worker.begins()
        worker.tasks.append((ticket, slot))
        worker.channel.connection.settimeout(config.get_multiprocessing_timeout_interval())
        try:
            worker.channel.deliver(packed)
        except ConnectionError:
            self._died(worker)
        except TimeoutError:
            self._hangs(worker)

    def answer(self, ticket: Ticket) -> Answer[Any]:
        """Return the answer of a ticket, after waiting for it."""
        with self._lock:
            while ticket.answer is None:
                if not self._finalizer.alive:
                    ticket.answer = Answer([], self._no_more())
                    break
                self._look(1.0)
                for worker in self._workers if ticket.answer is None else ():
                    is_late = worker.stuck_for() > config.get_multiprocessing_timeout_interval()
                    if is_late and any(ticket is waiting for waiting, _ in worker.tasks):
                        self._hangs(worker)
                        break
        return ticket.answer

    def _no_more(self) -> RuntimeError:
        return RuntimeError(f"{self._where}: the iterator that reads it was stopped.")

    def _look(self, seconds: float) -> None:
        """Read what workers have answered; wait until one has, or that many seconds."""
        poll, by_file = select.poll(), {}
        for worker in self._workers:
            for file in (worker.channel.connection.fileno(), worker.watch):
                if file >= 0:
                    poll.register(file, select.POLLIN)
                    by_file[file] = worker
        readable = {file for file, _ in poll.poll(seconds * 1000)}
        for worker in {by_file[file].number: by_file[file] for file in readable}.values():
            if worker.channel.connection.fileno() not in readable:
                self._died(worker)
                continue
            try:
                reply: Reply = worker.channel.receive()
            except TimeoutError:
                self._hangs(worker)
            except (EOFError, OSError):  # a signal handler may have closed its files
                self._died(worker)
            else:
                ticket, slot = worker.tasks[0]
                worker.slots.append(slot)
                worker.begins()
                error = None if reply.failure is None else self._made_again(worker, reply.failure)
                worker.tasks.popleft()
                ticket.answer = Answer(reply.results, error, reply.seconds, worker.channel.size)
            if not self.is_alive:
                return

    def _made_again(self, worker: Worker, failure: Failure) -> BaseException:
        text = failure.text
        if failure.row is not None:
            text = f"{self._named(worker)} at {self._unit} {failure.row}: it {text}"
        error = error_again(failure.error, text)
        cause = None if failure.cause_text is None else error_again(failure.cause, failure.cause_text)
        (cause or error).add_note(f"In worker {worker.number} (process {worker.process}):\n{failure.trace}")
        error.__cause__ = cause
        return error

    def _named(self, worker: Worker) -> str:
        return f"{self._where}: worker {worker.number} (process {worker.process})"

    def _at(self, worker: Worker) -> str:
        if not worker.tasks:
            return f"between two {self._unit}s"
        row = worker.row()
        return "while it loaded the function" if row == LOADING else f"at {self._unit} {row}"

    def _died(self, worker: Worker) -> None:
        if not self._finalizer.alive:  # `end` stopped it, and closes it next
            return
        at, named = self._at(worker), self._named(worker)
        worker.stop()
        code = starting.ended(worker.process, _DYING)
        if code is None:
            how = "ended with the process that starts workers"
        elif code >= 0:
            how = f"ended with exit code {code}"
        else:
            how = f"was killed by {signal.Signals(-code).name}"
            how += ", as the system does when memory runs out," if code == -signal.SIGKILL else ""
        stack = worker.stack()
        self._fail(worker, f"{named} {how} {at}." + (f" It was here:\n{stack}" if stack else ""))

    def _hangs(self, worker: Worker) -> None:
        seconds = config.get_multiprocessing_timeout_interval()
        at, stack = self._at(worker), worker.ask_stack()
        worker.stop()
        starting.ended(worker.process, 0)
        self._fail(
            worker,
            f"{self._named(worker)} has been {at} for more than {seconds} seconds "
            "(dataset.config.set_multiprocessing_timeout_interval sets how long one may take), and was ended."
            + (f" It was here:\n{stack}" if stack else ""),
        )

    def _fail(self, worker: Worker, text: str) -> None:
        self._workers.remove(worker)
        worker.close()
        self._failed = RuntimeError(text)
        for ticket, _ in worker.tasks:
            ticket.answer = Answer([], self._failed)

    @property
    def is_alive(self) -> bool:
        """Return whether they work: none has failed, and `end` was not called."""
        return self._failed is None and self._finalizer.alive

    def end(self) -> None:
        """End the processes, and wait until they are gone."""
        self._finalizer()


def _end(workers: list[Worker], parcel: Parcel, lock: threading.RLock, owner: int) -> None:
    with uninterrupted():  # it is called once
        if os.getpid() != owner:  # a fork of the program has no say, and no thread that uses the files
            _close(workers, parcel)
            return
        for worker in list(workers):
            worker.stop()  # wakes who waits for it
        with lock:
            deadline = time.monotonic() + _PATIENCE
            for worker in workers:
                starting.ended(worker.process, max(deadline - time.monotonic(), 0))
            _close(workers, parcel)


def _close(workers: list[Worker], parcel: Parcel) -> None:
    for worker in workers:
        worker.close()
    workers.clear()
    parcel.close()
