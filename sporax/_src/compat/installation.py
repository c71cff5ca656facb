"""Serving the name `mindspore` in this process and in those that it starts, and taking it back.

The hook of `compat.alias` answers imports; a folder on `sys.path` answers those of worker processes, which begin with their
parent's path and without its hooks. A lock makes both one step for all threads.
"""

from __future__ import annotations

import sys
import threading

from sporax._src.compat import alias

_lock = threading.RLock()


def install() -> None:
    """Let `import mindspore` be answered by sporax, in this process and in worker processes.

    Modules below `mindspore` are sporax's own, so a class is one object under both names. NumPy gets the names of NumPy 1
    that programs for MindSpore use. Where the name is served already, nothing changes, and one `uninstall` ends it.

    Raises:
        RuntimeError: If MindSpore itself is imported already: its objects and sporax's do not mix.

    Examples:
        >>> import sporax
        >>> sporax.compat.install()
        >>> import mindspore
        >>> mindspore.nn.Dense is sporax.nn.Dense
        True
        >>> sporax.compat.uninstall()
        >>> sporax.compat.is_installed()
        False
    """
    with _lock:
        alias.install()
        if alias.WORKER_PATH not in sys.path:
            sys.path.insert(1, alias.WORKER_PATH)


def uninstall() -> None:
    """Undo `install`: imports of `mindspore`, `sys.modules`, `sys.path` and the names of NumPy are what they were before.

    What a program holds by then keeps working: its names stand for sporax's own objects.
    """
    with _lock:
        alias.uninstall()
        sys.path[:] = [folder for folder in sys.path if folder != alias.WORKER_PATH]


def is_installed() -> bool:
    """Tell whether `mindspore` is served by sporax."""
    return alias.is_installed()
