"""Options of the search for strategies (`AUTO_PARALLEL`)."""

from __future__ import annotations

from typing import Any

from sporax._src.base.settings.parallel_options import check_option

_ALGO: dict[str, Any] = {
    "fully_use_devices": False,
    "elementwise_op_strategy_follow": False,
    "enable_algo_approxi": False,
    "algo_approxi_epsilon": 0.1,
    "tensor_slice_align_enable": False,
    "tensor_slice_align_size": 16,
}
_COST_MODEL: dict[str, Any] = {
    "device_memory_capacity": 16.0 * 2**30,
    "costmodel_alpha": 1.0,
    "costmodel_beta": 400.0,
    "costmodel_gamma": 0.001,
    "costmodel_communi_threshold": 2048.0,
    "costmodel_communi_const": 3072.0,
    "costmodel_communi_bias": 1024.0,
    "multi_subgraphs": False,
    "dp_algo_single_loop": False,
    "rp_matmul_mem_coef": 0.1,
    "run_phase": 0,
    "costmodel_allreduce_fusion_algorithm": 0,
    "costmodel_allreduce_fusion_times": 0,
    "costmodel_allreduce_fusion_tail_percent": 0.1,
    "costmodel_allreduce_fusion_tail_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_inherent_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_bandwidth": 0.1,
    "costmodel_allreduce_fusion_computation_time_parameter": 0.1,
}
_algo, _cost_model = dict(_ALGO), dict(_COST_MODEL)


def _get(what: str, of: dict[str, Any], name: str) -> Any:
    if name not in of:
        raise ValueError(f"{what}: unknown option {name!r}; known are {', '.join(of)}.")
    return of[name]


def set_algo_parameters(**options: object) -> None:
    """Set options of the search for strategies.

    Args:
        tensor_slice_align_enable, tensor_slice_align_size: Whether the last axes of matrix shards must be multiples of a number,
            and the number.
        fully_use_devices, elementwise_op_strategy_follow: The search always does this: products use all devices if their sizes
            allow it, and elementwise operators are sharded like their operands.
        enable_algo_approxi, algo_approxi_epsilon: Stored only: the search limits its size by itself.

    Raises:
        ValueError: If an option is unknown, or the size is not in [1, 1024].
        TypeError: If a value is of another type.
        RuntimeError: If `algo_approxi_epsilon` is not in (0, 1].
    """
    for name, value in options.items():
        check_option("set_algo_parameters", name, value)
    _algo.update(options)


def get_algo_parameters(attr_key: str) -> Any:
    """Return an option of the search for strategies.

    Raises:
        ValueError: If there is none of that name.
    """
    return _get("get_algo_parameters", _algo, attr_key)


def reset_algo_parameters() -> None:
    """Set the options of the search back to their defaults."""
    _algo.update(_ALGO)


def set_cost_model_context(**options: Any) -> None:
    """Set options of the cost model of the strategy search.

    Args:
        device_memory_capacity: The memory of a device in bytes, which is the limit for the strategies of the search.
        **options: The others are stored only: the cost is the number of bytes that devices exchange.

    Raises:
        ValueError: If an option is unknown, or the capacity is not positive.
        TypeError: If a value is of another type.
    """
    what = "set_cost_model_context"
    for name, value in options.items():
        kind = type(_get(what, _cost_model, name))
        if type(value) is not kind:
            raise TypeError(f"{what}: {name} must be {kind.__name__}, got {value!r}.")
        if name == "device_memory_capacity" and value <= 0:
            raise ValueError(f"{what}: {name} must be > 0, got {value}.")
    _cost_model.update(options)


def get_cost_model_context(attr_key: str) -> Any:
    """Return an option of the cost model of the strategy search.

    Raises:
        ValueError: If there is none of that name.
    """
    return _get("get_cost_model_context", _cost_model, attr_key)


def reset_cost_model_context() -> None:
    """Set the options of the cost model back to their defaults."""
    _cost_model.update(_COST_MODEL)
