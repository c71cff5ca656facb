"""The allowed values of options of `set_auto_parallel_context` and `set_algo_parameters`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Check = Callable[[str, Any], None]
SCHEDULERS = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")


def _kind(what: str, ok: bool, value: object, expected: str) -> None:
    if not ok:
        raise TypeError(f"{what} must be {expected}, got {value!r}.")


def _flag(what: str, value: object) -> None:
    _kind(what, isinstance(value, bool), value, "a bool")


def _flag_or_none(what: str, value: object) -> None:
    _kind(what, value is None or isinstance(value, bool), value, "a bool")


def _truth(what: str, value: object) -> None:
    _kind(what, value is None or isinstance(value, int), value, "a bool")


def _text(what: str, value: object) -> None:
    _kind(what, isinstance(value, str), value, "a str")


def _name_of(*names: str) -> Check:
    def check(what: str, value: Any) -> None:
        _text(what, value)
        if value not in names:
            raise ValueError(f"{what} must be one of {list(names)}, got {value!r}.")

    return check


def _number(least: int | None = None, most: int | None = None, *, flags: bool = False) -> Check:
    """Return the check of an int between limits; with `flags`, True and False are numbers as well."""

    def check(what: str, value: Any) -> None:
        _kind(what, isinstance(value, int) and (flags or not isinstance(value, bool)), value, "an int")
        if (least is not None and value < least) or (most is not None and value > most):
            limits = f"at least {least}" if most is None else f"in [{least}, {most}]"
            raise ValueError(f"{what} must be {limits}, got {value!r}.")

    return check


def _indices(what: str, value: Any) -> None:
    numbers = isinstance(value, list) and all(type(n) is int and n >= 0 for n in value)
    _kind(what, value is None or numbers, value, "a list of ints that are not negative")
    if not value or list(value) != sorted(set(value)):
        raise ValueError(f"{what} must be a list of numbers that rise, and not empty, got {value!r}.")


def _dataset(what: str, value: Any) -> None:
    if isinstance(value, str):
        _name_of("full_batch", "data_parallel")(what, value)
        return
    _kind(what, isinstance(value, tuple), value, "'full_batch', 'data_parallel' or a tuple of tuples")
    for strategy in value:
        if isinstance(strategy, tuple):
            numbers = all(isinstance(n, (int, tuple)) for n in strategy)
            _kind(what, numbers, value, "tuples of ints")
        else:  # a Layout
            _kind(what, hasattr(strategy, "to_dict"), value, "a tuple of tuples, or of Layouts")
            if "interleaved_parallel" in strategy.alias_name:
                raise ValueError(
                    f"{what} must be of Layouts without 'interleaved_parallel', got {strategy.alias_name}."
                )


def _entries(what: str, value: Any, checks: Mapping[str, Check], needed: Sequence[str] = ()) -> None:
    """Check a dict by its keys.

    Raises:
        TypeError: If it is no dict, or one of its values of another type.
        ValueError: If it has another key, or a value is not allowed.
        KeyError: If it lacks a required key, and is not empty.
    """
    _kind(what, isinstance(value, dict), value, "a dict")
    for key, entry in value.items():
        if key not in checks:
            raise ValueError(f"{what} may have the keys {list(checks)}, got {key!r}.")
        checks[key](f"{what}[{key!r}]", entry)
    for key in needed if value else ():
        if key not in value:
            raise KeyError(f"{what} must have the key {key!r}, got {value!r}.")


def _dict_of(checks: Mapping[str, Check], needed: Sequence[str] = ()) -> Check:
    return lambda what, value: _entries(what, value, checks, needed)


def _fusion_of(*modes: str) -> Check:
    """Return the check of the fusion settings of one kind of collective: `{"mode": ..., "config": ...}`."""

    def check(what: str, value: Any) -> None:
        _kind(what, isinstance(value, dict), value, "a dict")
        for key in ("mode", "config"):
            if key not in value:
                raise KeyError(f"{what} must have the key {key!r}, got {value!r}.")
        if value["mode"] not in modes:
            raise KeyError(f"{what}['mode'] must be one of {list(modes)}, got {value['mode']!r}.")
        if value["mode"] != "auto":
            (_number() if value["mode"] == "size" else _indices)(f"{what}['config']", value["config"])

    return check


def _fusion(what: str, value: Any) -> None:
    _kind(what, isinstance(value, dict), value, "a dict")
    _flag(f"{what}['openstate']", value.get("openstate", True))
    checks = {"allreduce": _fusion_of("auto", "size", "index")}
    checks |= dict.fromkeys(("allgather", "reducescatter"), _fusion_of("auto", "size"))
    for key in value.keys() - {"openstate"}:
        if key not in checks:
            raise KeyError(f"{what} may have the keys {['openstate', *checks]}, got {key!r}.")
        checks[key](f"{what}[{key!r}]", value[key])


_OPTIONS: dict[str, Check] = {
    "device_num": _number(1, flags=True),
    "global_rank": _number(0, 4095, flags=True),
    "parallel_mode": _name_of("stand_alone", "data_parallel", "hybrid_parallel", "semi_auto_parallel", "auto_parallel"),
    "communi_parallel_mode": _name_of("all_group_parallel", "same_server_group_parallel", "no_group_parallel"),
    "optimizer_weight_shard_size": _number(),
    "dataset_strategy": _dataset,
    "all_reduce_fusion_config": _indices,
    "comm_fusion": _fusion,
    "strategy_ckpt_config": _dict_of({"load_file": _text, "save_file": _text, "only_trainable_params": _flag}),
    "parallel_optimizer_config": _dict_of(
        {
            "gradient_accumulation_shard": _flag,
            "parallel_optimizer_threshold": _number(0),
            "optimizer_weight_shard_size": _number(1),
            "optimizer_level": lambda what, value: _level(what, value),
        }
    ),
    "pipeline_config": _dict_of(
        {
            "pipeline_interleave": _flag,
            "pipeline_scheduler": _name_of(*SCHEDULERS),
        },
        ("pipeline_interleave", "pipeline_scheduler"),
    ),
}
_OPTIONS |= dict.fromkeys(
    ("search_mode", "auto_parallel_search_mode"),
    _name_of("recursive_programming", "dynamic_programming", "sharding_propagation"),
)
_OPTIONS |= dict.fromkeys(("pipeline_stages", "pipeline_segments", "grad_accumulation_step"), _number(1))
_OPTIONS |= dict.fromkeys(
    ("strategy_ckpt_load_file", "strategy_ckpt_save_file", "group_ckpt_save_file", "dump_local_norm_path"), _text
)
_OPTIONS |= dict.fromkeys(
    (
        "loss_repeated_mean", "enable_parallel_optimizer", "force_fp32_communication",
        "optimizer_weight_shard_aggregated_save", "sharding_propagation", "enable_alltoall", "pipeline_result_broadcast",
        "pipeline_interleave", "auto_pipeline",
    ),
    _flag,
)  # fmt: skip
_OPTIONS |= dict.fromkeys(
    ("gradients_mean", "mirror_mean", "gradient_fp32_sync", "parameter_broadcast", "full_batch"), _flag_or_none
)
_OPTIONS |= dict.fromkeys(
    ("dump_local_norm", "dump_device_local_norm", "auto_parallel_new_interface", "init_param_in_compile"), _truth
)


def _level(what: str, value: object) -> None:
    if value not in ("level1", "level2", "level3"):
        raise ValueError(f"{what} must be one of ['level1', 'level2', 'level3'], got {value!r}.")


def _part(what: str, value: Any) -> None:
    _kind(what, isinstance(value, float), value, "a float")
    if not 0 < value <= 1:
        raise RuntimeError(f"{what} must be in (0, 1], got {value!r}.")


_ALGO: dict[str, Check] = {
    "fully_use_devices": _flag,
    "elementwise_op_strategy_follow": _flag,
    "enable_algo_approxi": _flag,
    "algo_approxi_epsilon": _part,
    "tensor_slice_align_enable": _flag,
    "tensor_slice_align_size": _number(1, 1024),
}


def check_option(function: str, name: str, value: object) -> None:
    """Check an option of parallel training.

    Args:
        function: `"set_auto_parallel_context"` or `"set_algo_parameters"`.
        name: The option.
        value: The new value.

    Raises:
        TypeError: If the value is of another type than the option has.
        ValueError: If there is no such option, or the value is not allowed.
        RuntimeError: If `algo_approxi_epsilon` is not in (0, 1].
        KeyError: If the value is a dict that lacks a key.
    """
    known = _OPTIONS if function == "set_auto_parallel_context" else _ALGO
    if name not in known:
        raise ValueError(f"{function}: unknown option {name!r}; known are {', '.join(sorted(known))}.")
    known[name](f"{function}: {name}", value)
