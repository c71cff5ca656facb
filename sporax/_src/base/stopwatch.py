"""The time of a program by kind, measured while a profiler runs."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
DATA, TRACING, COMPILING = "waiting for data", "tracing", "compiling"


class Stopwatch:
    """Adds up seconds by kind while it runs.

    Attributes:
        is_running: Whether it runs; nothing is measured otherwise.
        seconds: The sums.
    """

    def __init__(self) -> None:
        self.is_running = False
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inside: set[str] = set()

    def start(self) -> None:
        """Reset the sums and start."""
        self.seconds = defaultdict(float)
        self.is_running = True

    def stop(self) -> None:
        """Stop measuring."""
        self.is_running = False

    def add(self, kind: str, seconds: float) -> None:
        """Add seconds that were measured elsewhere to a kind."""
        if self.is_running:
            self.seconds[kind] += seconds

    def measured(self, kind: str, run: Callable[..., Result], *args: object) -> Result:
        """Return `run(*args)`, and add its duration; nested calls of the same kind count once."""
        if not self.is_running or kind in self._inside:
            return run(*args)
        self._inside.add(kind)
        began = time.perf_counter()
        try:
            return run(*args)
        finally:
            self._inside.discard(kind)
            self.add(kind, time.perf_counter() - began)


stopwatch = Stopwatch()
