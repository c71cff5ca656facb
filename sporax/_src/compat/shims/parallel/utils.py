"""What programs ask of `mindspore.parallel._utils`; 21 repositories of the census do, mindformers and `models` the most."""

from __future__ import annotations

from sporax.context import (
    ParallelMode,
    get_auto_parallel_context,
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
