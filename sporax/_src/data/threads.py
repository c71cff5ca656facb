"""Threads that call functions for rows. Unlike those of an Executor, threads that hang do not keep the process from ending."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")
_PATIENCE = 5.0  # seconds to finish their current calls when the process ends


class Threads(Generic[T]):
    """Threads that call functions in the order of submission.

    Args:
        count: How many there are at most.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._threads: list[threading.Thread] = []
        self._tasks: SimpleQueue[tuple[Callable[[], T], SimpleQueue[T]] | None] = SimpleQueue()
        self._ended = False
        _running.add(self)

    def submit(self, task: Callable[[], T]) -> SimpleQueue[T]:
        """Call a function that raises nothing on a thread, and return the queue of its result."""
        result: SimpleQueue[T] = SimpleQueue()
        self._tasks.put((task, result))
        if len(self._threads) < self.count:
            name = f"dataset_{len(self._threads)}"
            self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
            self._threads[-1].start()
        return result

    def end(self) -> None:
        """Start no more calls; running calls continue."""
        self._ended = True
        self._tasks.put(None)

    def join(self, deadline: float) -> None:
        """Wait until the threads have ended, at most until a time of `time.monotonic`."""
        for thread in self._threads:
            if thread.is_alive():  # one whose start was interrupted never ran
                thread.join(max(deadline - time.monotonic(), 0))

    def _work(self) -> None:
        while (item := self._tasks.get()) is not None and not self._ended:
            task, result = item
            result.put(task())
        self._tasks.put(None)  # for the next thread: `end` puts one, so that an interrupt leaves none waiting


_running: weakref.WeakSet[Threads] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """Wait until threads have left the code of other libraries, where they cannot be ended safely."""
    left = list(_running)
    for threads in left:
        threads.end()
    deadline = time.monotonic() + _PATIENCE
    for threads in left:
        threads.join(deadline)
