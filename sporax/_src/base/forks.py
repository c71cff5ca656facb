"""Processes forked from one that has begun to compute: what they would compute is refused, for it would never end.

A forked process has one thread, and none of those of XLA, which compile and compute. It may read Tensors and make them of NumPy's
arrays: `Dataset`s and programs with workers of their own go on in it.
"""

from __future__ import annotations

import os

from sporax._src.base.jax_compat import has_devices, refuse_to_compute

_WHY = (
    "this process was forked from one that had begun to compute, and cannot compute: the threads of XLA are not in it. Start "
    'processes with multiprocessing.set_start_method("spawn") (or "forkserver"), or fork before the first Tensor.'
)


def watch_forks() -> None:
    """Let computing raise a RuntimeError in the processes that are forked from now on, if it would hang there."""
    if hasattr(os, "register_at_fork"):  # Windows has no forks
        os.register_at_fork(after_in_child=_in_child)


def _in_child() -> None:
    if has_devices():
        refuse_to_compute(_WHY)
