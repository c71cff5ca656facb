"""How the state of training is shared out over devices that would have equal pieces of it: settings and their checks."""

from __future__ import annotations

from typing import Any, NamedTuple

from sporax._src.base.errors import describe

_LEVELS = {"level1": 1, "level2": 2, "level3": 3}
_KEYS = (
    "gradient_accumulation_shard",
    "parallel_optimizer_threshold",
    "optimizer_weight_shard_size",
    "optimizer_level",
)


class Sharing(NamedTuple):
    """How Parameters that are trained, and what optimizers keep of them, are cut further than their operators ask.

    Attributes:
        threshold: The least bytes of a Parameter that is.
        size: Over how many devices at most; -1: all that have equal pieces.
        level: 1: Parameters and states; 2 and 3: sums of gradients (`accu_grads`) as well.
    """

    threshold: int
    size: int
    level: int


def sharing(settings: dict[str, Any]) -> Sharing | None:
    """Return what the settings of parallel training say; None if nothing is shared out."""
    if not settings["enable_parallel_optimizer"]:
        return None
    config = settings["parallel_optimizer_config"]
    level = _LEVELS[config.get("optimizer_level", "level1")]
    if config.get("gradient_accumulation_shard", False):
        level = max(level, 2)
    size = config.get("optimizer_weight_shard_size", -1)
    return Sharing(
        config.get("parallel_optimizer_threshold", 64) * 1024,
        settings["optimizer_weight_shard_size"] if size == -1 else size,
        level,
    )


def check_config(config: Any) -> None:
    """Check `parallel_optimizer_config`.

    Raises:
        TypeError: If it is no dict, or a value is of another type.
        ValueError: If a key is unknown, a value is out of range, or two contradict each other.
    """
    name = "parallel_optimizer_config"
    if not isinstance(config, dict):
        raise TypeError(f"{name} must be a dict, got {describe(config)}.")
    for key, value in config.items():
        if key not in _KEYS:
            raise ValueError(f"{name}: unknown key {key!r}; known are {', '.join(_KEYS)}.")
        if key == "gradient_accumulation_shard" and not isinstance(value, bool):
            raise TypeError(f"{name}: {key} must be a bool, got {describe(value)}.")
        if key == "optimizer_level" and value not in _LEVELS:
            raise ValueError(f"{name}: optimizer_level must be level1, level2 or level3, got {value!r}.")
        if key == "parallel_optimizer_threshold" and (type(value) is not int or value < 0):
            raise ValueError(f"{name}: {key} must be an int >= 0, got {describe(value)}.")
        if key == "optimizer_weight_shard_size":
            check_size(f"{name}: {key}", value)
    if config.get("gradient_accumulation_shard") and config.get("optimizer_level", "level2") != "level2":
        raise ValueError(
            f"{name}: gradient_accumulation_shard goes with optimizer_level level2, got {config['optimizer_level']}."
        )


def check_size(name: str, value: Any) -> None:
    """Check over how many devices Parameters are shared out at most.

    Raises:
        ValueError: If it is neither a positive int nor -1.
    """
    if type(value) is not int or (value < 1 and value != -1):
        raise ValueError(f"{name} must be a positive int or -1, got {describe(value)}.")
