"""Waiting for what JAX computes, and refusing to compute where nothing would ever be ready: in forked processes.

A process that was forked after JAX was used has one thread, and none of XLA's threads, which compile and compute. It may read
Tensors and create them from NumPy arrays, so `Dataset`s and programs with worker processes work.
"""

from __future__ import annotations

import atexit
import os
import time

import jax

from sporax._src.base.jax_compat import has_devices, is_connected, refuse_to_compute

_AT_END = 5.0  # seconds to wait for other processes at the end of this one
_WHY = (
    "this process was forked from one that had begun to compute, and cannot compute, because it has no threads of XLA. Start "
    'processes with multiprocessing.set_start_method("spawn") (or "forkserver"), or fork before the first Tensor.'
)


def synchronize() -> None:
    """Wait until everything that was started is computed."""
    jax.effects_barrier()
    jax.block_until_ready(jax.live_arrays())  # a CPU does not compute in the order in which things were started
    for device in jax.local_devices():
        jax.device_put(0, device).block_until_ready()


def wait_at_exit() -> None:
    """Let the process wait for running computations at its end: XLA's threads crash if it unloads the code that they run.

    Collectives with other processes are awaited for a few seconds: those need this process to the end of them, but may never
    take part.
    """
    atexit.register(_finish)


def _finish() -> None:
    if not has_devices():
        return
    if not is_connected():
        synchronize()
        return
    begun = time.monotonic()
    while not all(x.is_deleted() or x.is_ready() for x in jax.live_arrays()) and time.monotonic() - begun < _AT_END:
        time.sleep(0.01)


def watch_forks() -> None:
    """Make computations in processes forked from now on raise a RuntimeError if they would hang."""
    if hasattr(os, "register_at_fork"):  # Windows has no forks
        os.register_at_fork(after_in_child=_in_child)


def _in_child() -> None:
    if has_devices():
        refuse_to_compute(_WHY)
        atexit.unregister(_finish)
