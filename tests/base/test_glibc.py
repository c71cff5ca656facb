"""What glibc's allocator is told to give back to Linux."""

import pytest

from sporax._src.base import glibc


@pytest.fixture
def calls(monkeypatch):
    """The calls of glibc's functions."""
    made = []

    class Library:
        def __getattr__(self, name):
            return lambda *args: made.append((name, *args))

    monkeypatch.setattr(glibc.ctypes, "CDLL", lambda name: Library())
    monkeypatch.setattr(glibc, "IS_GLIBC", True)
    return made


def test_freed_memory_goes_back(calls):
    glibc.give_back()
    assert calls == [("malloc_trim", 0)]


def test_another_allocator_is_left_alone(calls, monkeypatch):
    monkeypatch.setattr(glibc, "IS_GLIBC", False)
    glibc.give_back()
    assert calls == []
