"""The executor of PyNative mode, as programs of MindSpore reach for it."""

from __future__ import annotations

import jax


class PyNativeExecutor:
    """The queue of operations that PyNative mode has started."""

    def sync(self) -> None:
        """Wait until every operation with effects has finished; errors of arguments are raised by the call itself."""
        jax.effects_barrier()


_pynative_executor = PyNativeExecutor()
