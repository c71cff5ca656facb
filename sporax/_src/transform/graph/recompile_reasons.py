"""Reasons for recompilations: a line of the log for each (`SPORAX_LOG=recompile`), and a warning if there are many."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import user_level, warn_user
from sporax._src.transform.graph.argument_names import differences, summary

MANY = 16
_NEAREST = 16  # how many graphs a new one is compared with

_log = logging.getLogger("sporax.recompile")


def report(
    name: str, fn: Callable[..., Any], entries: dict[Any, list[Any]], key: tuple[Any, ...], entry: object
) -> None:
    """Log why a function needs a new graph.

    Args:
        name: The name of the function.
        fn: The function.
        entries: Its existing graphs, by their keys (see `Jit`).
        key, entry: The new graph and its key.
    """
    graphs = [(k, e) for k, same_key in entries.items() for e in same_key if e is not None]
    if not graphs or (len(graphs) != MANY and not _log.isEnabledFor(logging.INFO)):
        return
    stale = next((e for e in entries.get(key, ()) if e is not None), None)
    if stale is not None:
        cause = _changed(stale, entry)
    else:
        nearest = (differences(fn, k, key) for k in dict.fromkeys(k for k, _ in graphs[: -_NEAREST - 1 : -1]))
        cause = summary(min(nearest, key=len))
    _log.info("%s recompiled: %s", name, cause, stacklevel=user_level())
    if len(graphs) == MANY:
        warn_user(
            f"{name} has been compiled {MANY + 1} times, the last time because of {cause}. A graph takes time and memory: "
            f"{_remedy(cause)}. SPORAX_LOG=recompile shows every cause."
        )


def _changed(stale: Any, entry: Any) -> str:
    if type(stale.graph) is not type(entry.graph):
        return "debugging was switched"
    causes = (cell._sporax_changed_since(before) for cell, before in zip(stale.cells, stale.fingerprint, strict=True))
    return next((cause for cause in causes if cause), "its Parameters changed")


def _remedy(cause: str) -> str:
    if " shape " in cause:
        return "pad inputs to one of a few shapes"
    if "argument" in cause:
        return "pass what varies as a Tensor"
    return "set flags and attributes of Cells before the loop"
