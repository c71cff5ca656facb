"""The executor of PyNative mode, as programs of MindSpore reach for it."""

from __future__ import annotations

import jax

from sporax._src.base.errors import describe
from sporax._src.core.execution import change, current


class PyNativeExecutor:
    """The queue of operations that PyNative mode has started, and whether it records them for gradients."""

    def sync(self) -> None:
        """Wait until every operation with effects has finished; errors of arguments are raised by the call itself."""
        jax.effects_barrier()

    def set_async_for_graph(self, flag: bool) -> None:
        """Accept MindSpore's hint: a graph is started without waiting for it, `sync` waits.

        Raises:
            TypeError: If the flag is no bool.
        """
        _flag("set_async_for_graph", flag)

    def enable_grad(self) -> bool:
        """Tell whether gradients can be taken: not within `no_grad`."""
        return not current.get().refuses_gradients

    def set_enable_grad(self, flag: bool) -> None:
        """Set whether gradients can be taken, in this thread.

        Raises:
            TypeError: If the flag is no bool.
        """
        change({"refuses_gradients": not _flag("set_enable_grad", flag)})

    def grad_flag(self) -> bool:
        """Tell whether operations are being recorded for a gradient."""
        return current.get().recording > 0

    def set_grad_flag(self, flag: bool) -> None:
        """Accept MindSpore's hint: taking a gradient records by itself.

        Raises:
            TypeError: If the flag is no bool.
        """
        _flag("set_grad_flag", flag)

    def requires_grad(self) -> bool:
        """Tell whether operations are being recorded, and gradients can be taken."""
        return self.enable_grad() and self.grad_flag()

    def high_order(self) -> bool:
        """Tell whether a gradient is being recorded within another."""
        return current.get().recording > 1


def _flag(name: str, flag: bool) -> bool:
    if not isinstance(flag, bool):
        raise TypeError(f"_pynative_executor.{name}: the flag must be a bool, got {describe(flag)}.")
    return flag


_pynative_executor = PyNativeExecutor()
