"""What programs ask of `mindspore.parallel._utils` and its neighbours."""

from __future__ import annotations

from typing import Any

from sporax._src.base.settings import strategy_search
from sporax._src.processes.parallel_context import was_set
from sporax.context import (
    ParallelMode,
    get_auto_parallel_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)


def _get_parallel_mode() -> str:
    """Return the mode of parallel training."""
    return get_auto_parallel_context("parallel_mode")


def _get_device_num() -> int:
    """Return the number of devices that train together."""
    return get_auto_parallel_context("device_num")


def _get_global_rank() -> int:
    """Return the number of this process."""
    return get_auto_parallel_context("global_rank")


def _get_gradients_mean() -> bool:
    """Return whether gradients are averaged rather than summed."""
    return get_auto_parallel_context("gradients_mean")


def _get_parameter_broadcast() -> bool:
    """Return whether the first process's Parameters are sent to all."""
    return get_auto_parallel_context("parameter_broadcast")


def _get_pipeline_stages() -> int:
    """Return the number of stages of a pipeline."""
    return get_auto_parallel_context("pipeline_stages")


def _get_enable_parallel_optimizer() -> bool:
    """Return whether the state of the optimizer is shared out."""
    return get_auto_parallel_context("enable_parallel_optimizer")


def _is_sharding_propagation() -> bool:
    """Return whether strategies spread from the operators that have one."""
    modes = [get_auto_parallel_context(name) for name in ("auto_parallel_search_mode", "search_mode")]
    return "sharding_propagation" in modes


def _is_in_auto_parallel_mode() -> bool:
    """Return whether the mode is semi-automatic or automatic."""
    return _get_parallel_mode() in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Raise ValueError if a run of one mode has several devices."""
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(f"If parallel_mode is {parallel_mode}, device_number must be 1, got {device_number}.")


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
            return lambda given: set_auto_parallel_context(**{option: given})
        raise AttributeError(f"auto_parallel_context() has no attribute {name!r}")


_context = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """Return the settings of parallel training."""
    return _context


# --- options of MindSpore's search for strategies -------------------------------------------------------------------------


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Keep an option of MindSpore's search for strategies."""
    strategy_search.set_cost_model_context(multi_subgraphs=multi_subgraph)


def _set_rp_matmul_mem_coef(coef: float) -> None:
    """Keep an option of MindSpore's search for strategies."""
    strategy_search.set_cost_model_context(rp_matmul_mem_coef=float(coef))


def get_squared_device_local_norm_param() -> Any:
    """Raise ValueError, as MindSpore does unless norms of the gradients of a device are dumped, which they never are here."""
    raise ValueError("get_squared_device_local_norm_param: the parallel option 'dump_device_local_norm' is not on.")
