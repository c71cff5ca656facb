"""What programs ask of parallel training."""

from sporax._src.compat.legacy.parallel import (
    _device_number_check,
    _get_device_num,
    _get_enable_parallel_optimizer,
    _get_full_batch,
    _get_global_rank,
    _get_gradients_mean,
    _get_parallel_mode,
    _get_parameter_broadcast,
    _get_pipeline_stages,
    _is_in_auto_parallel_mode,
    _is_in_data_parallel_mode,
    _is_sharding_propagation,
)

__all__ = [
    "_device_number_check",
    "_get_device_num",
    "_get_enable_parallel_optimizer",
    "_get_full_batch",
    "_get_global_rank",
    "_get_gradients_mean",
    "_get_parallel_mode",
    "_get_parameter_broadcast",
    "_get_pipeline_stages",
    "_is_in_auto_parallel_mode",
    "_is_in_data_parallel_mode",
    "_is_sharding_propagation",
]
