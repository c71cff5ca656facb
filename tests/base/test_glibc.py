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


def test_large_arrays_go_back_where_all_memory_was_kept(calls):
    glibc.give_back_large_arrays("glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.arena_max=1")
    assert calls == [("mallopt", -3, 32 * 2**20), ("mallopt", -4, 65536)]


@pytest.mark.parametrize("tunables", ["", "glibc.malloc.mmap_max=65536"])
def test_settings_of_others_stay(calls, tunables):
    glibc.give_back_large_arrays(tunables)
    assert calls == []


def test_another_allocator_is_left_alone(calls, monkeypatch):
    monkeypatch.setattr(glibc, "IS_GLIBC", False)
    glibc.give_back()
    glibc.give_back_large_arrays("glibc.malloc.mmap_max=0")
    assert calls == []
