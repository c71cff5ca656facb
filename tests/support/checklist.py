"""What the tests of the checklist share: plain values of nested Tensors, expected fallbacks, a log that is listened to."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from sporax import GRAPH_MODE, Tensor
from sporax._src.base.errors import CompileFallback


def plain(value: Any) -> Any:
    """Return nested Tensors as nested lists and numbers, containers as they are."""
    if isinstance(value, Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return type(value)(map(plain, value)) if isinstance(value, (tuple, list)) else value


def falls_back(mode: int, match: str | None = None) -> Any:
    """Expect the warning that a graph could not be captured, in GRAPH_MODE only."""
    return pytest.warns(CompileFallback, match=match) if mode == GRAPH_MODE else contextlib.nullcontext()


@contextlib.contextmanager
def listening(name: str) -> Iterator[list[str]]:
    """Turn a log on and return its lines, a list that fills while the context lasts."""
    lines: list[str] = []
    handler, log = logging.Handler(), logging.getLogger(name)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
