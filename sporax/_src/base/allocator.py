"""What sporax asks of the C library's allocator: to keep the memory that a step frees for the next, in large pages.

XLA takes the memory of each step anew. Left alone, glibc gives a large array back to Linux when it is freed and gets it again
as pages that Linux clears one by one: 44,000 of 4 KiB in a step of ResNet-18, up to half of its time on a virtual machine.

`sporax` imports this module before all others: what is asked holds for threads that start later, and a process started
anew would spend the time of imports twice.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_LARGE_PAGES = "glibc.malloc.hugetlb"

# glibc's names of what `mallopt` sets, the number that stands for each, and what is asked for.
_KEEPING = {
    "arena_max": (-8, 1),  # one heap for all threads: no other one can hold a large array
    "mmap_max": (-4, 0),  # large arrays in the heap too
    "trim_threshold": (-1, 2**31 - 1),  # the end of the heap is kept up to 2 GiB
}


def keep_memory() -> None:
    """Have the allocator keep what is freed, as far as `GLIBC_TUNABLES` leaves that open."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        for parameter, value in settings(os.environ):
            libc.mallopt(parameter, value)


def settings(environ: Mapping[str, str]) -> list[tuple[int, int]]:
    """Return what to set: pairs of a parameter of `mallopt` and a value.

    Args:
        environ: The environment of the process, whose `GLIBC_TUNABLES` come first.

    Examples:
        >>> settings({"GLIBC_TUNABLES": "glibc.malloc.arena_max=8:glibc.malloc.mmap_max=100"})
        [(-1, 2147483647)]
    """
    told = environ.get("GLIBC_TUNABLES", "")
    return [pair for name, pair in _KEEPING.items() if f"glibc.malloc.{name}=" not in told]


def use_large_pages() -> None:
    """Start this process again, if it is `sporax run`, with an allocator that asks for large pages.

    The allocator reads that setting before Python runs, so it can only be given to a new process.
    """
    setting = _SETTING.read_text() if _SETTING.exists() else ""
    environ = with_large_pages(sys.orig_argv, os.environ, setting)
    if environ is not None:
        os.execve(sys.executable, sys.orig_argv, environ)


def with_large_pages(argv: Sequence[str], environ: Mapping[str, str], setting: str) -> dict[str, str] | None:
    """Return the environment to start again with, or None if there is no reason to.

    Args:
        argv: The command line of this process.
        environ: Its environment.
        setting: What Linux says of large pages: the word in brackets holds.

    Examples:
        >>> with_large_pages(["python", "-m", "sporax", "run", "train.py"], {}, "always [madvise] never")
        {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}
        >>> with_large_pages(["python", "train.py"], {}, "always [madvise] never") is None
        True
    """
    runs = any(os.path.basename(a) == "sporax" and b == "run" for a, b in itertools.pairwise(argv[1:]))
    tunables = environ.get("GLIBC_TUNABLES", "")
    if not runs or "[madvise]" not in setting or _LARGE_PAGES in tunables:
        return None
    return {**environ, "GLIBC_TUNABLES": ":".join(filter(None, (tunables, f"{_LARGE_PAGES}=1")))}


use_large_pages()
keep_memory()
