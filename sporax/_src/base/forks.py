"""Refuses computation in processes that were forked after JAX was used, where it would hang.

A forked process has one thread, and none of XLA's threads, which compile and compute. It may read Tensors and create them from
NumPy arrays, so `Dataset`s and programs with worker processes work.
"""

from __future__ import annotations

import os

from sporax._src.base.completion import end_at_once
from sporax._src.base.jax_compat import has_devices, refuse_to_compute

_WHY = (
    "this process was forked from one that had begun to compute, and cannot compute, because it has no threads of XLA. Start "
    'processes with multiprocessing.set_start_method("spawn") (or "forkserver"), or fork before the first Tensor.'
)


def watch_forks() -> None:
    """Make computations in processes forked from now on raise a RuntimeError if they would hang."""
    if hasattr(os, "register_at_fork"):  # Windows has no forks
        os.register_at_fork(after_in_child=_in_child)


def _in_child() -> None:
    if has_devices():
        refuse_to_compute(_WHY)
        end_at_once()
