"""Options of parallel training: which values MindSpore takes, and the types of its errors for others."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mindspore as ms
from mindspore.parallel import set_algo_parameters

from .common import write_json

FLAGS = (
    "gradients_mean", "gradient_fp32_sync", "loss_repeated_mean", "parameter_broadcast", "full_batch",
    "enable_parallel_optimizer", "force_fp32_communication", "optimizer_weight_shard_aggregated_save",
    "sharding_propagation", "enable_alltoall", "pipeline_result_broadcast", "auto_pipeline", "dump_local_norm",
    "dump_device_local_norm", "auto_parallel_new_interface", "init_param_in_compile",
)  # fmt: skip
NAMES = ("parallel_mode", "search_mode", "auto_parallel_search_mode", "communi_parallel_mode")
FILES = ("strategy_ckpt_load_file", "strategy_ckpt_save_file", "group_ckpt_save_file", "dump_local_norm_path")
NUMBERS = ("pipeline_stages", "pipeline_segments", "optimizer_weight_shard_size")
OPTIONS: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(FLAGS, (True, 1, "a", None)),
    **dict.fromkeys(NAMES, ("x", 1, None)),
    **dict.fromkeys(FILES, ("a", 1, None)),
    **dict.fromkeys(NUMBERS, (0, -1, 1, 2, 1.0, "a", True)),
    "device_num": (0, -1, 4096, 4097, 1.0, "a", True),
    "global_rank": (-1, 4095, 4096, 1.0, "a", True),
    "grad_accumulation_step": (0, -1, 1, 1.0, "a", True),
    "dataset_strategy": (
        "x", 1, None, "full_batch", "data_parallel", [], (), ((1, 2),), ((1, 2), (4,)), ([1],), ((1, "a"),), (1, 2),
        ((1.0,),), ((),),
    ),
    "all_reduce_fusion_config": (1, "a", None, [], [1, 2], [2, 1], ["a"], [1, 1], (1, 2), [0], [-1]),
    "parallel_optimizer_config": (
        1, {}, {"a": 1}, {"gradient_accumulation_shard": 1}, {"parallel_optimizer_threshold": -1},
        {"parallel_optimizer_threshold": "a"}, {"parallel_optimizer_threshold": 64}, {"optimizer_weight_shard_size": 2},
        {"optimizer_weight_shard_size": 0}, {"optimizer_level": "level3"}, {"optimizer_level": "x"},
        {"optimizer_level": 1},
    ),
    "pipeline_config": (
        1, {"a": 1}, {"pipeline_interleave": 1, "pipeline_scheduler": "gpipe"},
        {"pipeline_interleave": True, "pipeline_scheduler": "x"}, {"pipeline_interleave": True},
        {"pipeline_scheduler": "1f1b"}, {"pipeline_interleave": True, "pipeline_scheduler": "gpipe"},
    ),
    "comm_fusion": (
        1, {}, {"a": 1}, {"allreduce": 1}, {"allreduce": {}}, {"allreduce": {"mode": "x", "config": None}},
        {"allreduce": {"mode": "auto", "config": None}}, {"allreduce": {"mode": "size", "config": 32}},
        {"allreduce": {"mode": "size", "config": "a"}}, {"allreduce": {"mode": "index", "config": [1, 2]}},
        {"allreduce": {"mode": "index", "config": [2, 1]}}, {"allgather": {"mode": "index", "config": [1, 2]}},
        {"allgather": {"mode": "size", "config": 16}}, {"allreduce": {"mode": "auto"}}, {"openstate": 1},
        {"openstate": False},
    ),
    "strategy_ckpt_config": (
        1, {}, {"a": 1}, {"load_file": 1}, {"save_file": 1}, {"only_trainable_params": 1},
        {"load_file": "a.ckpt", "save_file": "b.ckpt", "only_trainable_params": False},
    ),
    "unknown": (1,),
}  # fmt: skip
ALGO: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("fully_use_devices", "elementwise_op_strategy_follow", "enable_algo_approxi", "tensor_slice_align_enable"),
        (1, True, "a"),
    ),
    "algo_approxi_epsilon": (0.1, 1, "a"),
    "tensor_slice_align_size": (0, 1, 1024, 1025, "a", 2.0),
    "unknown": (1,),
}


def error_of(call: Callable[..., object], option: str, value: Any) -> list[str]:
    """Return the name of a function, an option, a value as Python writes it, and the type of the error; "" if there is none."""
    try:
        call(**{option: value})
    except Exception as error:
        return [call.__name__, option, repr(value), type(error).__name__]
    return [call.__name__, option, repr(value), ""]


def record(out: Path) -> None:
    """Write `parallel_options.json`: function, option, value as Python writes it, type of the error."""
    found = []
    for name, values in OPTIONS.items():
        for value in values:
            ms.reset_auto_parallel_context()
            found.append(error_of(ms.set_auto_parallel_context, name, value))
    for name, values in ALGO.items():
        found += [error_of(set_algo_parameters, name, value) for value in values]
    write_json(out / "parallel_options.json", {"options": found})
