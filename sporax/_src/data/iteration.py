"""The state of one iteration of a pipeline. It calls functions for each row, on threads or in processes, in the order of rows."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from sporax._src.data import config, randomness
from sporax._src.data.autotune import Crew, Tuner
from sporax._src.data.callbacks import DSCallback, Progress
from sporax._src.data.row_calls import Answer, call_rows
from sporax._src.data.threads import Threads
from sporax._src.data.workers.pool import TASKS, Processes, Ticket

T = TypeVar("T")
R = TypeVar("R")
_SECONDS = 0.004  # that a task should take
_BYTES = 1 << 21  # that the results of a task should have at most: processor caches hold so many
_CHEAP = 4  # a task of cheap rows may have so many times `prefetch_size`


class Node(Protocol):
    """The interface of a dataset for a run and an iterator."""

    num_parallel_workers: int

    @property
    def children(self) -> Sequence[Node]:
        """Return the datasets that it reads from."""
        ...

    @property
    def callbacks(self) -> Sequence[DSCallback]:
        """Return the callbacks to call while an iterator reads it."""
        ...

    def get_col_names(self) -> list[str]:
        """Return the names of the columns, in order."""
        ...

    def get_dataset_size(self) -> int:
        """Return the number of rows of one epoch."""
        ...

    def get_init_step(self) -> int:
        """Return the row, counted over epochs, at which iterators start."""
        ...

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `epoch` from row `start` on."""
        ...


class Run:
    """One iteration over the tree under `root`: its seed, and the position of each dataset in the pipeline."""

    def __init__(self, root: Node, seed: int | None = None, tuner: Tuner | None = None) -> None:
        self.seed = config.draw_seed() if seed is None else seed
        self.tuner = tuner
        self.epoch = 0  # of the iterator; a dataset under `repeat` sees other numbers
        self._memos: dict[int, dict[str, Any]] = {}
        self._positions: dict[int, int] = {}
        self._with_callbacks: list[Node] = []
        self._progress: dict[int, Progress] = {}
        self._processes: dict[int, Processes] = {}
        self._number(root)

    def _number(self, node: Node) -> None:
        if id(node) not in self._positions:
            self._positions[id(node)] = len(self._positions)
            if node.callbacks:
                self._with_callbacks.append(node)
            for child in node.children:
                self._number(child)

    def begin_epoch(self, epoch: int) -> None:
        """Record the epoch that an iterator begins, and call the callbacks."""
        self.epoch = epoch
        for node in self._with_callbacks:
            self._progress.setdefault(id(node), Progress(node.callbacks)).begin_epoch(epoch)

    def end_epoch(self) -> None:
        """Call the callbacks after the iterator has read the epoch."""
        for progress in self._progress.values():
            progress.end_epoch()
        if self.tuner is not None:
            self.tuner.end_epoch()

    def progress(self, node: Node) -> Progress | None:
        """Return the progress of `node` for its callbacks; None if it has none or no iterator reads it."""
        return self._progress.get(id(node))

    def memo(self, node: Node) -> dict[str, Any]:
        """Return the dictionary in which `node` stores its draws for an epoch of this run."""
        return self._memos.setdefault(id(node), {})

    def processes(self, node: Node, make: Callable[[], Processes]) -> Processes | None:
        """Return the worker processes of `node`, which stay for all epochs unless one fails; None in debug mode."""
        if config.get_debug_mode():
            return None
        kept = self._processes.get(id(node))
        if kept is None or not kept.is_alive:
            kept = self._processes[id(node)] = make()
        return kept

    def crew(self, node: Node) -> Crew:
        """Return the workers of `node`; their number changes while it is read, if it is tuned."""
        workers, prefetch = worker_count(node.num_parallel_workers), config.get_prefetch_size()
        if self.tuner is None or config.get_debug_mode():
            return Crew(workers, prefetch)
        return self.tuner.crew(node, workers, prefetch)

    def end(self) -> None:
        """End the worker processes."""
        for processes in self._processes.values():
            processes.end()

    def key(self, node: Node, epoch: int) -> randomness.Key:
        """Return the key of the random draws of `node` in `epoch`."""
        return self.seed, self._positions[id(node)], epoch


def worker_count(requested: int) -> int:
    """Return the number of workers: the requested number, but at most the number of processors, and one in debug mode."""
    return 1 if config.get_debug_mode() else min(requested, os.cpu_count() or 1)


def in_order(
    function: Callable[[int, T], R],
    items: Iterable[T],
    first: int,
    key: randomness.Key,
    crew: Crew,
    processes: Processes | None = None,
) -> Iterator[R]:
    """Yield ``function(i, item)`` for items numbered from `first`, in order.

    Args:
        function: What is called; not used if there are processes, which have it.
        items: The items.
        first: The number of the first item.
        key: The key of the draws.
        crew: How many threads call it; a single one is the caller's.
        processes: The processes that call it, instead of threads.
    """
    if processes is not None:
        yield from _from_processes(processes, items, first, key, crew)
    elif crew.workers > 1 or crew.is_tuned:
        yield from _from_threads(function, items, first, key, crew)
    else:
        own_draws = randomness.rows_of(key)
        for number, item in enumerate(items, first):
            own_draws.at(number)
            with own_draws:
                result = function(number, item)
            yield result


def _from_threads(
    function: Callable[[int, T], R], items: Iterable[T], first: int, key: randomness.Key, crew: Crew
) -> Iterator[R]:
    threads: Threads[Answer[R]] = Threads(crew.workers)

    def submit(start: int, chunk: list[T]) -> SimpleQueue[Answer[R]]:
        threads.count = crew.workers
        return threads.submit(partial(call_rows, function, key, start, chunk))

    try:
        yield from _ahead(submit, items, first, crew)
    finally:
        threads.end()


def _from_processes(
    processes: Processes, items: Iterable[Any], first: int, key: randomness.Key, crew: Crew
) -> Iterator[Any]:
    def submit(start: int, chunk: list[Any]) -> Ticket:
        processes.count = crew.workers
        return processes.submit(key, start, chunk)

    try:
        yield from _ahead(submit, items, first, crew)
    except GeneratorExit:  # the rest is not wanted; another pass may begin
        raise
    except BaseException:
        processes.end()
        raise


class _Task(Protocol[R]):
    """A task of a worker."""

    def get(self) -> Answer[R]:
        """Return its answer, after waiting for it."""
        ...


def _ahead(submit: Callable[[int, list[T]], _Task[R]], items: Iterable[T], first: int, crew: Crew) -> Iterator[R]:
    """Yield the results of tasks in order, some tasks ahead.

    A task costs about as much as some cheap rows; a slow row must not wait for others of its task while a worker has nothing
    to do. So the first tasks have one row, and later ones as many as take some milliseconds. `prefetch_size` bounds how many
    rows each worker may be ahead; tasks of cheap rows may go beyond it. Large rows that travel are few in a task.
    """
    rest = iter(items)
    pending: deque[tuple[_Task[R], int]] = deque()
    size, rows = 1, 0  # of the next task; of all that are pending
    while True:
        workers, ahead = crew.workers, crew.prefetch
        has_room = len(pending) < TASKS * workers and rows + size <= max(ahead, 2 * size) * workers
        chunk = list(islice(rest, size)) if has_room or not pending else []
        if chunk:
            pending.append((submit(first, chunk), len(chunk)))
            first, rows = first + len(chunk), rows + len(chunk)
            continue
        if not pending:
            return
        task, count = pending.popleft()
        began = time.perf_counter()
        answer = task.get()
        crew.waited += time.perf_counter() - began
        rows -= count
        yield from answer.results
        if answer.error is not None:
            try:
                raise answer.error
            finally:  # both hold the error, and it this frame: the threads below would go on until a collection
                del task, answer
        fit = min(_SECONDS / max(answer.seconds, 1e-9), _BYTES / max(answer.size, 1)) * count
        size = min(max(int(fit), 1), 2 * size, _CHEAP * ahead)
