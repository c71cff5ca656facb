"""Settings of optimizer sharding: the state of training is sharded over devices that would otherwise hold replicas."""

from __future__ import annotations

from typing import Any, NamedTuple

_LEVELS = {"level1": 1, "level2": 2, "level3": 3}


class Sharing(NamedTuple):
    """How trained Parameters and their optimizer states are sharded beyond the strategies of operators.

    Attributes:
        threshold: The least size in bytes of a Parameter to shard.
        size: The largest number of devices; -1: all that hold replicas.
        level: 1: Parameters and states; 2 and 3: sums of gradients (`accu_grads`) as well.
    """

    threshold: int
    size: int
    level: int


def sharing(settings: dict[str, Any]) -> Sharing | None:
    """Return the settings of optimizer sharding; None if it is off."""
    if not settings["enable_parallel_optimizer"]:
        return None
    config = settings["parallel_optimizer_config"]
    level = _LEVELS[config.get("optimizer_level", "level1")]
    if config.get("gradient_accumulation_shard", False):
        level = max(level, 2)
    size = config.get("optimizer_weight_shard_size", settings["optimizer_weight_shard_size"])
    return Sharing(
        config.get("parallel_optimizer_threshold", 64) * 1024,
        size if size > 0 else -1,
        level,
    )


def check_level(config: dict[str, Any]) -> None:
    """Check that two entries of `parallel_optimizer_config` do not contradict each other.

    Raises:
        ValueError: If they do.
    """
    if config.get("gradient_accumulation_shard") and config.get("optimizer_level", "level2") != "level2":
        raise ValueError(
            "parallel_optimizer_config: gradient_accumulation_shard goes with optimizer_level level2, "
            f"got {config['optimizer_level']}."
        )
