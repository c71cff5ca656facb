"""The state of one iteration of a pipeline. It calls functions for each row on threads and keeps the order of the rows."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from sporax._src.data import config, randomness
from sporax._src.data.callbacks import DSCallback, Progress
from sporax._src.data.threads import Threads

T = TypeVar("T")
R = TypeVar("R")
_CHUNK = 4  # rows per task: a task costs about as much as a cheap row


class Node(Protocol):
    """The interface of a dataset for a run and an iterator."""

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

    def __init__(self, root: Node, seed: int | None = None) -> None:
        self.seed = config.draw_seed() if seed is None else seed
        self.epoch = 0  # of the iterator; a dataset under `repeat` sees other numbers
        self._memos: dict[int, dict[str, Any]] = {}
        self._positions: dict[int, int] = {}
        self._with_callbacks: list[Node] = []
        self._progress: dict[int, Progress] = {}
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

    def progress(self, node: Node) -> Progress | None:
        """Return the progress of `node` for its callbacks; None if it has none or no iterator reads it."""
        return self._progress.get(id(node))

    def memo(self, node: Node) -> dict[str, Any]:
        """Return the dictionary in which `node` stores its draws for an epoch of this run."""
        return self._memos.setdefault(id(node), {})

    def key(self, node: Node, epoch: int) -> randomness.Key:
        """Return the key of the random draws of `node` in `epoch`."""
        return self.seed, self._positions[id(node)], epoch


def worker_count(requested: int) -> int:
    """Return the number of threads: the requested number, but at most the number of processors."""
    return min(requested, os.cpu_count() or 1)


def in_order(
    function: Callable[[int, T], R], items: Iterable[T], first: int, key: randomness.Key, workers: int
) -> Iterator[R]:
    """Yield ``function(i, item)`` for items numbered from `first`, in order, on one or several threads."""
    numbered = enumerate(items, first)
    if workers > 1:
        yield from _on_threads(function, numbered, key, workers)
        return
    local = randomness.rows_of
    for number, item in numbered:
        with local(key):
            randomness.at_row(number)
            result = function(number, item)
        yield result


def _on_threads(
    function: Callable[[int, T], R], numbered: Iterator[tuple[int, T]], key: randomness.Key, workers: int
) -> Iterator[R]:
    def task(chunk: list[tuple[int, T]]) -> tuple[list[R], BaseException | None]:
        results: list[R] = []
        with randomness.rows_of(key):
            for number, item in chunk:
                randomness.at_row(number)
                try:
                    results.append(function(number, item))
                except BaseException as error:  # handed over after the rows before it, so order holds
                    return results, error
        return results, None

    threads: Threads[tuple[list[R], BaseException | None]] = Threads(workers)
    pending: deque[SimpleQueue[tuple[list[R], BaseException | None]]] = deque()
    try:
        while True:
            chunk = list(islice(numbered, _CHUNK)) if len(pending) < 2 * workers else []
            if chunk:
                pending.append(threads.submit(partial(task, chunk)))
                continue
            if not pending:
                return
            results, error = pending.popleft().get()
            yield from results
            if error is not None:
                raise error
    finally:
        threads.end()
