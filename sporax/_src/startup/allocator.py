"""Settings of glibc's allocator for programs that sporax runs: memory is kept for the next step, in large pages.

XLA allocates the memory of each step again. By default, glibc returns a large array to Linux when it is freed, and gets it back as
pages that Linux clears one by one: 44,000 of 4 KiB in a step of ResNet-18, up to half of its time on a virtual machine. The
allocator reads its settings before Python runs, so only a new process can have them.

`sporax` imports this module before all others, so that a restarted process does not spend the time of their imports twice.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from sporax._src.base.command_line import runs_a_program

_TUNABLES = {
    "glibc.malloc.hugetlb": 1,  # large pages, where Linux gives them on request
    "glibc.malloc.mmap_max": 0,  # large arrays come from the heap
    "glibc.malloc.arena_max": 1,  # one heap for all threads: heaps of other threads have no room for large arrays
    "glibc.malloc.trim_threshold": 2**40,  # the heap never shrinks
}
IS_GLIBC = "CS_GNU_LIBC_VERSION" in os.confstr_names


def restart() -> None:
    """Restart this process with other settings of the allocator, if sporax runs a program in it on glibc."""
    environ = with_tunables(sys.orig_argv, sys.argv, os.environ) if IS_GLIBC else None
    if environ is not None:
        os.execve(sys.executable, sys.orig_argv, environ)


def with_tunables(command: Sequence[str], argv: Sequence[str], environ: Mapping[str, str]) -> dict[str, str] | None:
    """Return the environment to start again with, or None if there is no reason to.

    Args:
        command: The command line of this process, `sys.orig_argv`.
        argv: Its `sys.argv`.
        environ: Its environment; settings in its `GLIBC_TUNABLES` take precedence.

    Examples:
        >>> environ = {"GLIBC_TUNABLES": "glibc.malloc.arena_max=4:glibc.malloc.hugetlb=0"}
        >>> command, argv = ["python", "-m", "sporax", "run", "train.py"], ["-m", "run", "train.py"]
        >>> with_tunables(command, argv, environ)["GLIBC_TUNABLES"].split(":")[2:]
        ['glibc.malloc.mmap_max=0', 'glibc.malloc.trim_threshold=1099511627776']
        >>> with_tunables(["python", "train.py"], ["train.py"], {}) is None
        True
    """
    tunables = environ.get("GLIBC_TUNABLES", "")
    added = [f"{name}={value}" for name, value in _TUNABLES.items() if f"{name}=" not in tunables]
    if not runs_a_program(command, argv) or not added:
        return None
    return {**environ, "GLIBC_TUNABLES": ":".join(filter(None, (tunables, *added)))}


restart()
