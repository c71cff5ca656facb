"""What programs ask of `mindspore.parallel._utils` and its neighbours."""

from __future__ import annotations

from typing import Any

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


def _get_full_batch() -> bool:
    """Return whether every process reads the whole batch."""
    return get_auto_parallel_context("full_batch")


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


def _is_in_data_parallel_mode() -> bool:
    """Return whether the mode is data parallel."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Raise ValueError if a run of one mode has several devices."""
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(f"If parallel_mode is {parallel_mode}, device_number must be 1, got {device_number}.")


class _AutoParallelContext:
    """The settings of parallel training as getters and setters: `get_parallel_mode()`, `set_device_num(2)`, ..."""

    def set_enable_all_reduce_fusion(self, enable_all_reduce_fusion: bool) -> None:
        """Accept whether sums over devices are joined, which XLA decides."""
        self._enable_all_reduce_fusion = enable_all_reduce_fusion

    def get_enable_all_reduce_fusion(self) -> bool:
        """Return what was set last, at first True."""
        return self.__dict__.get("_enable_all_reduce_fusion", True)

    def get_device_num_is_set(self) -> bool:
        """Return whether a number of devices was set."""
        return get_auto_parallel_context("device_num") > 1

    def get_parameter_broadcast_is_set(self) -> bool:
        """Return whether `parameter_broadcast` was set."""
        return is_set("parameter_broadcast")

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


# --- options of the search for strategies and of parameter servers, neither of which exists here ----------------------

_SEARCH: dict[str, Any] = {"multi_subgraphs": False, "dp_algo_single_loop": False, "rp_matmul_mem_coef": 0.1}
_cost_model = dict(_SEARCH)


def set_cost_model_context(**options: Any) -> None:
    """Keep options of MindSpore's search for strategies; XLA partitions without one."""
    _cost_model.update(options)


def get_cost_model_context(attr_key: str) -> Any:
    """Return an option that was kept, or None."""
    return _cost_model.get(attr_key)


def reset_cost_model_context() -> None:
    """Forget the options that were kept."""
    _cost_model.clear()
    _cost_model.update(_SEARCH)


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Keep an option of MindSpore's search for strategies."""
    _cost_model["multi_subgraphs"] = multi_subgraph


def _get_multi_subgraphs() -> bool:
    """Return the option, at first False."""
    return _cost_model["multi_subgraphs"]


def _set_algo_single_loop(single_loop: bool = True) -> None:
    """Keep an option of MindSpore's search for strategies."""
    _cost_model["dp_algo_single_loop"] = single_loop


def _get_algo_single_loop() -> bool:
    """Return the option, at first False."""
    return _cost_model["dp_algo_single_loop"]


def _set_rp_matmul_mem_coef(coef: float) -> None:
    """Keep an option of MindSpore's search for strategies."""
    _cost_model["rp_matmul_mem_coef"] = coef


def _get_rp_matmul_mem_coef() -> float:
    """Return the option, at first MindSpore's 0.1."""
    return _cost_model["rp_matmul_mem_coef"]


def get_squared_device_local_norm_param() -> Any:
    """Raise ValueError, as MindSpore does unless norms of the gradients of a device are dumped, which they never are here."""
    raise ValueError("get_squared_device_local_norm_param: the parallel option 'dump_device_local_norm' is not on.")


def _is_role_pserver() -> bool:
    """Return False: there is no parameter server."""
    return False


def _is_role_sched() -> bool:
    """Return False: there is no parameter server."""
    return False


def _is_role_worker() -> bool:
    """Return False: there is no parameter server."""
    return False


def _is_ps_mode() -> bool:
    """Return False: there is no parameter server."""
    return False
