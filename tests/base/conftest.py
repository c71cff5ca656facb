"""Fixtures for the tests of settings."""

import logging
import sys
from collections.abc import Iterator

import pytest

from sporax._src.base import config


@pytest.fixture
def settings_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the context as it was, and let every message be new."""
    monkeypatch.setattr(config, "_reported", set())
    before, limit = dict(config._settings), sys.getrecursionlimit()
    yield
    for name, value in before.items():
        config._set(name, value)
    sys.setrecursionlimit(limit)


@pytest.fixture
def told() -> Iterator[list[str]]:
    """Return what is written to the log."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(f"{record.filename}: {record.getMessage()}")
    logging.getLogger("sporax").addHandler(handler)
    yield lines
    logging.getLogger("sporax").removeHandler(handler)
