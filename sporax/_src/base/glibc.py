"""The memory allocator of glibc."""

from __future__ import annotations

import ctypes
import os

IS_GLIBC = "CS_GNU_LIBC_VERSION" in os.confstr_names


def give_back() -> None:
    """Return freed memory to Linux: dropped graphs leave fragments between those in use."""
    if IS_GLIBC:
        ctypes.CDLL(None).malloc_trim(0)
