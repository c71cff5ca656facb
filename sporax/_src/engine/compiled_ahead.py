"""Compilation on idle processors, while the program goes on.

The first step of a network in PyNative mode is mostly compilation, one operation after the other. When the forward of an operation
has run, its backward is known, and another thread compiles it until the gradient needs it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import cache
from typing import Any

_MOST_THREADS = 4  # Python's lock lets more of them wait


class CompiledAhead:
    """A compiled function whose first compilation another thread does, unless the first call comes before.

    Args:
        compiled: The function; it has the method `lower` of JAX.
        args: Arguments like those of the first call.
        put: Called with `compiled` when this object is no longer needed.
    """

    def __init__(self, compiled: Any, args: Sequence[Any], put: Callable[[Any], None]) -> None:
        self._compiled, self._put = compiled, put
        self._pending = compile_elsewhere(compiled, args)

    def __call__(self, *args: Any) -> Any:
        self._finish()
        return self._compiled(*args)

    def clear_cache(self) -> None:
        """Drop the executables."""
        self._finish()
        self._compiled.clear_cache()

    def _finish(self) -> None:
        wait_or_cancel(self._pending)
        self._put(self._compiled)


def compile_elsewhere(compiled: Any, args: Sequence[Any]) -> Future[None]:
    """Let another thread compile a function of JAX for arguments like these."""
    return _threads().submit(compiled.lower(*args).compile)


def wait_or_cancel(pending: Future[None]) -> None:
    """Wait for a compilation; one that has not begun is cancelled. The call that follows raises what it raised."""
    if not pending.cancel():
        wait([pending])


def idle_processors() -> int:
    """Return how many processors are idle while one thread of this process computes."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return (len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1) - 1


class _Threads:
    """Threads that compile; unlike those of an executor, they do not delay the end of the process by what still waits."""

    def __init__(self, count: int) -> None:
        self._tasks: queue.SimpleQueue[tuple[Future[None], Callable[[], object]] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name="sporax-compiler", daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()
        atexit.register(self._stop)

    def submit(self, task: Callable[[], object]) -> Future[None]:
        future: Future[None] = Future()
        self._tasks.put((future, task))
        return future

    def _work(self) -> None:
        while (item := self._tasks.get()) is not None:
            future, task = item
            if future.set_running_or_notify_cancel():
                try:
                    task()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(None)

    def _stop(self) -> None:
        with contextlib.suppress(queue.Empty):
            while (item := self._tasks.get_nowait()) is not None:
                item[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()


@cache
def _threads() -> _Threads:
    return _Threads(min(idle_processors(), _MOST_THREADS))
