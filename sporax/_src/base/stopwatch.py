"""Where the time of a program goes, while a profiler asks: seconds by kind."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
DATA, TRACING, COMPILING = "waiting for data", "tracing", "compiling"


class Stopwatch:
    """Adds up seconds by kind while it runs.

    Attributes:
        is_running: Whether it does; nothing is measured otherwise.
        seconds: What has been added up.
    """

    def __init__(self) -> None:
        self.is_running = False
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inside: set[str] = set()

    def start(self) -> None:
        """Begin anew."""
        self.seconds = defaultdict(float)
        self.is_running = True

    def stop(self) -> None:
        """Measure no more."""
        self.is_running = False

    def add(self, kind: str, seconds: float) -> None:
        """Add to a kind what was measured elsewhere."""
        if self.is_running:
            self.seconds[kind] += seconds

    def measured(self, kind: str, run: Callable[..., Result], *args: Any) -> Result:
        """Return `run(*args)`, and add what it took; within a call of the same kind it is a part of that."""
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
