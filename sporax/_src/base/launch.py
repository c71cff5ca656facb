"""How `sporax run` starts its process: with large pages for large arrays, where Linux gives them on request.

`sporax` imports this module before all others, which take time that a process started anew would spend twice.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_TUNABLE = "glibc.malloc.hugetlb"


def use_large_pages() -> None:
    """Start this process again, if it is `sporax run`, with an allocator that asks for large pages.

    XLA takes the memory of each step anew: for ResNet-18 on the CPU 44,000 pages of 4 KiB, which Linux clears one by one
    in a tenth of the step. The allocator reads the setting before Python runs, so it can only be given to a new process.
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
    if not runs or "[madvise]" not in setting or _TUNABLE in tunables:
        return None
    return {**environ, "GLIBC_TUNABLES": ":".join(filter(None, (tunables, f"{_TUNABLE}=1")))}


use_large_pages()
