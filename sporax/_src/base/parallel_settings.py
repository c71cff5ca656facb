"""Settings of parallel training, kept for the transforms that read them."""

from __future__ import annotations

from typing import Any, NamedTuple

from sporax._src.base.parallel_options import check_option
from sporax._src.base.world import world


class ParallelMode:
    """Names of the ways to train in parallel."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


_KINDS = ("allreduce", "allgather", "reducescatter")
_DEFAULTS: dict[str, Any] = {
    "device_num": 1,
    "global_rank": 0,
    "gradients_mean": False,
    "mirror_mean": False,
    "gradient_fp32_sync": True,
    "force_fp32_communication": False,
    "loss_repeated_mean": True,
    "parallel_mode": ParallelMode.STAND_ALONE,
    "auto_parallel_search_mode": "recursive_programming",
    "search_mode": "recursive_programming",
    "parameter_broadcast": False,
    "strategy_ckpt_load_file": "",
    "strategy_ckpt_save_file": "",
    "strategy_ckpt_config": {"load_file": "", "save_file": "", "only_trainable_params": True},
    "full_batch": False,
    "enable_parallel_optimizer": False,
    "parallel_optimizer_config": {},
    "optimizer_weight_shard_size": -1,
    "optimizer_weight_shard_aggregated_save": False,
    "all_reduce_fusion_config": [],
    "pipeline_stages": 1,
    "pipeline_segments": 1,
    "pipeline_config": {},
    "pipeline_result_broadcast": False,
    "pipeline_interleave": False,
    "grad_accumulation_step": 1,
    "group_ckpt_save_file": "",
    "dataset_strategy": "data_parallel",
    "comm_fusion": {"openstate": True, **{kind: {"mode": "auto", "config": None} for kind in _KINDS}},
    "enable_alltoall": False,
    "sharding_propagation": False,
    "communi_parallel_mode": "all_group_parallel",
    "auto_pipeline": False,
    "dump_local_norm": False,
    "dump_local_norm_path": "",
    "dump_device_local_norm": False,
    "auto_parallel_new_interface": False,
    "init_param_in_compile": True,
}

_settings: dict[str, Any] = dict(_DEFAULTS)
_given: set[str] = set()  # which were set since the last reset


class Cutting(NamedTuple):
    """How a graph of all devices cuts what it computes with (SEMI_AUTO_PARALLEL and AUTO_PARALLEL).

    Attributes:
        devices: The number of devices that strategies are about, those of one stage of a pipeline.
        dataset: How inputs are cut: `"data_parallel"`, `"full_batch"`, or a strategy for each.
        threshold: The least bytes of a Parameter that is cut for the optimizer's sake; None: none is.
    """

    devices: int
    dataset: Any
    threshold: int | None


_cutting: list[Cutting | None] = [None]


def cutting() -> Cutting | None:
    """Return how graphs of all devices are cut; None if the mode is another, or there is one device."""
    return _cutting[0]


def _read_cutting() -> Cutting | None:
    if _settings["parallel_mode"] not in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL):
        return None
    devices = _settings["device_num"] if _settings["device_num"] > 1 else world().size
    devices //= _settings["pipeline_stages"]
    if devices < 2:
        return None
    dataset = "full_batch" if _settings["full_batch"] else _settings["dataset_strategy"]
    config = _settings["parallel_optimizer_config"]
    threshold = (
        config.get("parallel_optimizer_threshold", 64) * 1024 if _settings["enable_parallel_optimizer"] else None
    )
    return Cutting(devices, dataset, threshold)


def set_auto_parallel_context(**options: Any) -> None:
    """Set options of parallel training.

    Args:
        **options: `parallel_mode`, `gradients_mean`, `device_num`, ... as in MindSpore.

    Raises:
        TypeError: If a value is of another type than the option has.
        ValueError: If an option is unknown or a value is not allowed.
        KeyError: If a value is a dict that lacks a key.
    """
    for name, value in options.items():
        check_option("set_auto_parallel_context", name, value)
    if "comm_fusion" in options:
        options["comm_fusion"] = _DEFAULTS["comm_fusion"] | options["comm_fusion"]
    _settings.update(options)
    _given.update(options)
    _cutting[0] = _read_cutting()


def get_auto_parallel_context(attr_key: str) -> Any:
    """Return an option of parallel training."""
    if attr_key not in _DEFAULTS:
        raise ValueError(
            f"get_auto_parallel_context: unknown option {attr_key!r}; known are {', '.join(sorted(_DEFAULTS))}."
        )
    return _settings[attr_key]


def was_set(name: str) -> bool:
    """Tell whether an option was set since the last reset."""
    return name in _given


def reset_auto_parallel_context() -> None:
    """Set all options of parallel training back to their defaults."""
    _given.clear()
    _settings.clear()
    _settings.update(_DEFAULTS)
    _cutting[0] = None


# --- options of MindSpore's search for strategies, which is not made here ---------------------------------------------

_algo: dict[str, Any] = {}


def set_algo_parameters(**options: Any) -> None:
    """Keep options of MindSpore's search for strategies; XLA partitions without one.

    Raises:
        TypeError: If a value is of another type than the option has.
        ValueError: If an option is unknown or a value is not allowed.
    """
    for name, value in options.items():
        check_option("set_algo_parameters", name, value)
    _algo.update(options)


def get_algo_parameters(attr_key: str) -> Any:
    """Return an option that was kept, or None."""
    return _algo.get(attr_key)


def reset_algo_parameters() -> None:
    """Forget the options that were kept."""
    _algo.clear()
