"""Waiting for what JAX computes."""

from __future__ import annotations

import atexit

import jax

from sporax._src.base.jax_compat import has_devices, is_connected


def synchronize() -> None:
    """Wait until everything that was started is computed."""
    jax.effects_barrier()
    jax.block_until_ready(jax.live_arrays())  # a CPU does not compute in the order in which things were started
    for device in jax.local_devices():
        jax.device_put(0, device).block_until_ready()


def wait_at_exit() -> None:
    """Let the process wait for running computations at its end: XLA's threads crash if it unloads the code that they run.

    Collectives with other processes are not awaited, since those may never take part.
    """
    atexit.register(_finish)


def end_at_once() -> None:
    """Let the process end without waiting: one that was forked has none of the threads that compute."""
    atexit.unregister(_finish)


def _finish() -> None:
    if has_devices() and not is_connected():
        synchronize()
