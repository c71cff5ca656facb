"""The settings of parallel training as an object of `mindspore.parallel._auto_parallel_context`.

mindformers, mindcv, mindaudio and `models` (54 files) import it.
"""

from __future__ import annotations

from typing import Any

from sporax._src.processes.parallel_context import was_set
from sporax.context import (
    get_auto_parallel_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)


class _AutoParallelContext:
    """The settings of parallel training as getters and setters: `get_parallel_mode()`, `set_device_num(2)`, ..."""

    def get_enable_all_gather_fusion(self) -> bool:
        """Return whether `comm_fusion` is on."""
        return get_auto_parallel_context("comm_fusion")["openstate"]

    get_enable_reduce_scatter_fusion = get_enable_all_gather_fusion

    def allgather_fusion_threshold_mb(self) -> int:
        """Return the size at which gathers are joined, 64 if `comm_fusion` says none."""
        return get_auto_parallel_context("comm_fusion")["allgather"]["config"] or 64

    def reducescatter_fusion_threshold_mb(self) -> int:
        """Return the size at which sums of which each device gets its part are joined, 64 if `comm_fusion` says none."""
        return get_auto_parallel_context("comm_fusion")["reducescatter"]["config"] or 64

    def set_enable_all_reduce_fusion(self, enable_all_reduce_fusion: bool) -> None:
        """Accept whether sums over devices are joined, which XLA decides.

        Raises:
            TypeError: If it is no bool.
        """
        if not isinstance(enable_all_reduce_fusion, bool):
            raise TypeError(f"set_enable_all_reduce_fusion: must be a bool, got {enable_all_reduce_fusion!r}.")
        self._enable_all_reduce_fusion = enable_all_reduce_fusion

    def get_enable_all_reduce_fusion(self) -> bool:
        """Return what was set last, at first True."""
        return self.__dict__.get("_enable_all_reduce_fusion", True) and self.get_enable_all_gather_fusion()

    def get_device_num_is_set(self) -> bool:
        """Return whether a number of devices was set."""
        return was_set("device_num")

    def get_parameter_broadcast_is_set(self) -> bool:
        """Return whether `parameter_broadcast` was set."""
        return was_set("parameter_broadcast")

    def get_pipeline_interleave(self) -> bool:
        """Return whether a stage has several parts of the network."""
        return get_auto_parallel_context("pipeline_config").get("pipeline_interleave", False)

    def get_pipeline_scheduler(self) -> str:
        """Return the order in which micro batches run."""
        return get_auto_parallel_context("pipeline_config").get("pipeline_scheduler", "1f1b")

    def get_all_reduce_fusion_split_indices(self) -> list[int]:
        """Return where sums over devices are taken apart, as `all_reduce_fusion_config` says."""
        return get_auto_parallel_context("all_reduce_fusion_config")

    def reset(self) -> None:
        """Set all options back to their defaults."""
        vars(self).clear()
        reset_auto_parallel_context()

    def __getattr__(self, name: str) -> Any:
        action, _, option = name.partition("_")
        try:
            value = get_auto_parallel_context(option)
        except ValueError:
            raise AttributeError(f"auto_parallel_context() has no attribute {name!r}") from None
        if action == "get":
            return lambda: value
        if action == "set":
            return lambda setting: set_auto_parallel_context(**{option: setting})
        raise AttributeError(f"auto_parallel_context() has no attribute {name!r}")


_context = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """Return the settings of parallel training."""
    return _context
