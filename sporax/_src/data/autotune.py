"""The number of workers and how far they read ahead, chosen while a pipeline is read: `config.set_enable_autotune`.

A dataset whose results the reader waits for gets one more worker, up to the number of processors, and then a longer way ahead.
If rows come slower after such a change than before it, it is undone and the search ends. Rows do not depend on the workers, so
a tuned pipeline gives the same ones.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sporax._src.base.atomic import replacing

_log = logging.getLogger("sporax.dataset")
_WAITED = 0.05  # of the time: what is waited for less is no reason for a change
_SLOWER = 0.95  # of the rate before a change
_FARTHEST = 128  # rows ahead


def _rank() -> str:
    return "0"


def set_rank(rank: Callable[[], str]) -> None:
    """Say how the rank of this process is found: the pipeline knows nothing of the run. It is in the names of files."""
    global _rank
    _rank = rank


@dataclass
class Crew:
    """The workers of a dataset in one run.

    Args:
        workers: How many there are at most.
        prefetch: How many rows each may be ahead.
        waited: For how many seconds their results were waited for.
        is_tuned: Whether the number may change; then even a single one is not the reader's thread.
    """

    workers: int
    prefetch: int
    waited: float = 0.0
    is_tuned: bool = False


class Tuner:
    """Changes the crews of one run.

    Args:
        root: The dataset that is read.
        interval: After how many rows of it there may be a change; 0 for once in each epoch.
        path: The start of the name of the file for what was chosen; empty for none.
    """

    def __init__(self, root: Any, interval: int, path: str) -> None:
        self.crews: dict[Any, Crew] = {}
        self._root, self._interval, self._path = root, interval, path
        self._rate = 0.0  # rows in a second, before the last change
        self._undo: tuple[Any, int, int] | None = None
        self._is_settled = False
        self._rows, self._since = 0, time.perf_counter()

    def crew(self, node: Any, workers: int, prefetch: int) -> Crew:
        """Return the crew of a dataset, with these numbers at first."""
        if node not in self.crews:
            self.crews[node] = Crew(workers, prefetch, is_tuned=True)
        return self.crews[node]

    def end_row(self) -> None:
        """Count a row that was read."""
        self._rows += 1
        if self._interval and self._rows >= self._interval:
            self._change()

    def end_epoch(self) -> None:
        """Take note that an epoch was read."""
        if not self._interval:
            self._change()
        if self._path:
            self._write()

    def _change(self) -> None:
        now = time.perf_counter()
        seconds, rate = now - self._since, self._rows / max(now - self._since, 1e-9)
        if self._undo is not None and rate < _SLOWER * self._rate:
            self._set(*self._undo)
            self._is_settled = True
        self._undo, self._rate = None, rate
        if self.crews and not self._is_settled:
            node, crew = max(self.crews.items(), key=lambda item: item[1].waited)
            if crew.waited > _WAITED * seconds:
                self._undo = node, crew.workers, crew.prefetch
                if crew.workers < (os.cpu_count() or 1):
                    self._set(node, crew.workers + 1, crew.prefetch)
                elif crew.prefetch < _FARTHEST:
                    self._set(node, crew.workers, min(2 * crew.prefetch, _FARTHEST))
        for crew in self.crews.values():
            crew.waited = 0.0
        self._rows, self._since = 0, now

    def _set(self, node: Any, workers: int, prefetch: int) -> None:
        crew = self.crews[node]
        _log.info(
            "autotune: %s: num_parallel_workers %d -> %d, prefetch_size %d -> %d",
            type(node).__name__, crew.workers, workers, crew.prefetch, prefetch,
        )  # fmt: skip
        crew.workers, crew.prefetch = workers, prefetch
        node.num_parallel_workers = workers  # for later iterators, and for the file

    def _write(self) -> None:
        nodes = list(_below(self._root))
        lines = [self._line(node, len(nodes) - number) for number, node in enumerate(reversed(nodes))]
        found = {
            "remark": "The number of workers and of rows ahead, chosen by dataset.config.set_enable_autotune.",
            "summary": lines,
            "tree": self._root.to_json(),
        }
        with replacing(f"{self._path}_{_rank()}.json") as temporary:
            temporary.write_text(json.dumps(found, indent=4), encoding="utf-8")

    def _line(self, node: Any, number: int) -> str:
        name = f"{type(node).__name__.removesuffix('Dataset')}Op(ID:{number})"
        crew = self.crews.get(node)
        workers, ahead = ("NA", "NA") if crew is None else (crew.workers, crew.prefetch)
        return f"{name:<20}(num_parallel_workers: {workers}, prefetch_size: {ahead})"


def _below(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from _below(child)
