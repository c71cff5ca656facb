"""Settings of parallel training, which the transforms read."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from sporax._src.base.config import draws_late, environ
from sporax._src.base.settings.optimizer_sharding import Sharing, check_level, sharing
from sporax._src.base.settings.parallel_options import check_option
from sporax._src.processes.dry_run import planned_devices
from sporax._src.processes.world import devices_of_each, is_joined, world


class ParallelMode:
    """Names of the ways to train in parallel."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


_SEARCH_NAMES = ("search_mode", "auto_parallel_search_mode")  # one option under its new and its old name
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
_explicit: set[str] = set()  # the options set since the last reset


class Cutting(NamedTuple):
    """How a graph of all devices is sharded (SEMI_AUTO_PARALLEL and AUTO_PARALLEL), or of those of each process (DATA_PARALLEL).

    Attributes:
        devices: The number of devices that strategies cover: those of one stage of a pipeline.
        dataset: How inputs are sharded: `"data_parallel"`, `"full_batch"`, or a strategy for each.
        sharing: The settings of optimizer sharding; None: it is off.
        search: How strategies are searched for; empty: there is no search, and XLA shards operators without a strategy.
        is_local: Whether the devices are those of this process, which share its batches; the program's strategies do not count.
    """

    devices: int
    dataset: Any
    sharing: Sharing | None
    search: str = ""
    is_local: bool = False


class Pipelining(NamedTuple):
    """Pipeline parallelism (`pipeline_stages` greater than 1).

    Attributes:
        stages: The number of stages.
        interleaves: Whether a stage may have several chunks of the network.
        scheduler: The schedule of micro batches: `"1f1b"`, `"gpipe"`, ...
        devices: The number of devices of a stage.
        joined: How many stages of the program are one stage, because there are fewer processes than the program has stages.
    """

    stages: int
    interleaves: bool
    scheduler: str
    devices: int
    joined: int = 1


_cutting: list[Cutting | None] = [None]


def cutting() -> Cutting | None:
    """Return how strategies shard graphs of all devices; None in other modes, and on one device."""
    how = _cutting[0]
    return None if how is None or how.is_local else how


def checked_cutting() -> Cutting | None:
    """Return how graphs are sharded, by strategies or over the devices of each process, after a check for one that is compiled.

    Raises:
        RuntimeError: If optimizer sharding needs more devices than there are.
    """
    how, devices = _cutting[0], _devices()
    if how is not None and how.sharing is not None and how.sharing.size > devices:
        raise RuntimeError(
            f"optimizer_weight_shard_size must be at most {devices}, the devices, got {how.sharing.size}."
        )
    return how


def graphs_depend_on() -> tuple[Cutting | None, int]:
    """Return the settings that are part of the key of a graph."""
    return _cutting[0], _settings["pipeline_stages"]


def pipelining() -> Pipelining | None:
    """Return the settings of pipeline parallelism; None if there is one stage, or the mode has none.

    Raises:
        RuntimeError: If the stages do not divide the devices.
    """
    stages, joined = _settings["pipeline_stages"], _joined_stages()
    if stages == 1 or _settings["parallel_mode"] not in _ONE_PROGRAM:
        return None
    devices = _devices()
    if devices % stages:
        raise RuntimeError(
            f"pipeline_stages must divide the number of devices, got {stages} stages of {devices} devices."
        )
    config = {"pipeline_interleave": _settings["pipeline_interleave"], "pipeline_scheduler": "1f1b"}
    config |= _settings["pipeline_config"]
    interleaves = config["pipeline_interleave"] or _settings["pipeline_segments"] > 1
    stages //= joined
    return Pipelining(stages, interleaves, config["pipeline_scheduler"], devices // stages, joined)


_ONE_PROGRAM = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _devices() -> int:
    """Return the number of devices: `device_num`, or those of all processes if it is 1 or the number of processes."""
    told, processes = _settings["device_num"], world().size
    if told in (1, processes):
        return processes * devices_of_each()
    if is_joined() and told < (there := processes * devices_of_each()) > processes:
        raise RuntimeError(f"device_num must be {processes}, the processes, or {there}, their devices, got {told}.")
    return told


def _joined_stages() -> int:
    """Return how many pipeline stages are one, because a process has devices of several."""
    stages = _settings["pipeline_stages"]
    return stages // world().size if is_joined() and stages > world().size and devices_of_each() > 1 else 1


def _set_cutting(how: Cutting | None) -> None:
    _cutting[0] = how
    draws_late[0] = how is not None and not how.is_local and not planned_devices()


def _read_cutting() -> Cutting | None:
    if _settings["parallel_mode"] in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL):
        each = devices_of_each()
        return Cutting(each, "data_parallel", None, is_local=True) if each > 1 else None
    if _settings["parallel_mode"] not in _ONE_PROGRAM:
        return None
    devices = _devices() // (_settings["pipeline_stages"] // _joined_stages())
    if devices < 2:
        return None
    dataset = "full_batch" if _settings["full_batch"] else _settings["dataset_strategy"]
    is_auto = _settings["parallel_mode"] == ParallelMode.AUTO_PARALLEL
    search = _settings["search_mode"] if is_auto else ""
    return Cutting(devices, dataset, sharing(_settings), "" if search == "sharding_propagation" else search)


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
        if name == "parallel_optimizer_config":
            check_level(value)
    for name, value in options.items():
        _set(name, value)
    _explicit.update(options)
    _set_cutting(_read_cutting())


def _set(name: str, value: object) -> None:
    if name == "comm_fusion":
        value = _DEFAULTS[name] | value
    if name.startswith("strategy_ckpt_"):
        changes = value if name == "strategy_ckpt_config" else {name.removeprefix("strategy_ckpt_"): value}
        name, value = "strategy_ckpt_config", _settings["strategy_ckpt_config"] | changes
    for same in _SEARCH_NAMES if name in _SEARCH_NAMES else (name,):
        _settings[same] = value


def get_auto_parallel_context(attr_key: str) -> Any:
    """Return an option of parallel training."""
    if attr_key not in _DEFAULTS:
        raise ValueError(
            f"get_auto_parallel_context: unknown option {attr_key!r}; known are {', '.join(sorted(_DEFAULTS))}."
        )
    if attr_key in ("strategy_ckpt_load_file", "strategy_ckpt_save_file"):
        return _settings["strategy_ckpt_config"][attr_key.removeprefix("strategy_ckpt_")]
    return _settings[attr_key]


def number_on_paper(devices: int) -> int:
    """Return the rank of this process in a dry run (`global_rank`) for a number of devices."""
    return _settings["global_rank"] % devices


def group_file() -> str:
    """Return the file for the groups of processes with equal checkpoints; empty if there is none."""
    return _settings["group_ckpt_save_file"] or environ("GROUP_INFO_FILE")


def was_set(name: str) -> bool:
    """Return whether an option was set since the last reset."""
    return name in _explicit


def reset_auto_parallel_context() -> None:
    """Set all options of parallel training back to their defaults."""
    _explicit.clear()
    _settings.clear()
    _settings.update(_DEFAULTS)
    _operator_files.update(SAVE="", LOAD="")
    _set_cutting(None)


_operator_files = {"SAVE": "", "LOAD": ""}


def set_op_strategy_config(mode: str = "SAVE", path: str = "") -> None:
    """Set the file to which the strategies of operators are written, or from which they are read; the last call counts.

    Args:
        mode: `"SAVE"` or `"LOAD"`.
        path: The file: an absolute path that ends with `.json`.

    Raises:
        KeyError: If `mode` is something else, or `path` is no such path.
    """
    if not isinstance(path, str) or not os.path.isabs(path) or os.path.splitext(path)[1] != ".json":
        raise KeyError(f"set_op_strategy_config: path must be an absolute path that ends with .json, got {path!r}.")
    if mode not in _operator_files:
        raise KeyError(f"set_op_strategy_config: mode must be 'SAVE' or 'LOAD', got {mode!r}.")
    _operator_files.update({"SAVE": "", "LOAD": "", mode: path})


def operator_strategy_file(mode: str) -> str:
    """Return the file that strategies of operators are written to (`"SAVE"`) or read from (`"LOAD"`); empty if there is none."""
    return _operator_files[mode]
