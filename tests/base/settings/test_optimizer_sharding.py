"""Settings of optimizer sharding."""

import pytest

import sporax
from sporax import context

LEVEL = {"parallel_mode": "semi_auto_parallel", "enable_parallel_optimizer": True}


@pytest.mark.parametrize(
    ("config", "kind", "text"),
    [
        (3, TypeError, "parallel_optimizer_config must be a dict, got 3"),
        ({"size": 1}, ValueError, "may have the keys \\['gradient_accumulation_shard', .*, got 'size'"),
        ({"gradient_accumulation_shard": 1}, TypeError, "\\['gradient_accumulation_shard'\\] must be a bool, got 1"),
        ({"optimizer_level": "level4"}, ValueError, "\\['optimizer_level'\\] must be one of .*, got 'level4'"),
        ({"parallel_optimizer_threshold": -1}, ValueError, "\\['parallel_optimizer_threshold'\\] must be at least 0, got -1"),
        ({"optimizer_weight_shard_size": 0}, ValueError, "\\['optimizer_weight_shard_size'\\] must be at least 1, got 0"),
        (
            {"gradient_accumulation_shard": True, "optimizer_level": "level3"}, ValueError,
            "gradient_accumulation_shard goes with optimizer_level level2, got level3",
        ),
    ],
)  # fmt: skip
def test_wrong_settings(config: object, kind: type, text: str):
    with pytest.raises(kind, match=text):
        context.set_auto_parallel_context(parallel_optimizer_config=config)


def test_more_devices_than_there_are():
    context.set_auto_parallel_context(
        device_num=8, parallel_optimizer_config={"optimizer_weight_shard_size": 16}, **LEVEL
    )
    try:
        with pytest.raises(RuntimeError, match="optimizer_weight_shard_size must be at most 8, the devices, got 16"):
            sporax.jit(lambda x: x + 1)(sporax.Tensor([1.0]))
    finally:
        context.reset_auto_parallel_context()
