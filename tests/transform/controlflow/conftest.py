"""Graphs that must be compiled."""

import warnings
from collections.abc import Iterator

import pytest

from sporax._src.base.errors import CompileFallback


@pytest.fixture
def no_fallback() -> Iterator[None]:
    """A fallback to PyNative mode fails the test, unless it expects one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileFallback)
        yield
