"""The memory allocator of glibc: what it keeps of freed memory."""

from __future__ import annotations

import ctypes
import os

IS_GLIBC = "CS_GNU_LIBC_VERSION" in os.confstr_names
KEEPS_ALL = "glibc.malloc.mmap_max=0"  # a tunable

# From <malloc.h>.
_M_MMAP_THRESHOLD, _M_MMAP_MAX = -3, -4
_LARGE = 2**25  # bytes; the largest that `mallopt` takes
_DEFAULT_MMAP_MAX = 2**16


def give_back() -> None:
    """Return freed memory to Linux: dropped graphs leave fragments between those in use."""
    if IS_GLIBC:
        ctypes.CDLL(None).malloc_trim(0)


def give_back_large_arrays(tunables: str) -> None:
    """From now on return an array of 32 MiB or more to Linux when it is freed, if these tunables keep all memory."""
    if IS_GLIBC and KEEPS_ALL in tunables:
        glibc = ctypes.CDLL(None)
        glibc.mallopt(_M_MMAP_THRESHOLD, _LARGE)
        glibc.mallopt(_M_MMAP_MAX, _DEFAULT_MMAP_MAX)
