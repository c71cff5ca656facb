"""`AutoParallel`: settings of a network that is cut over devices."""

import pytest

from sporax import Tensor, nn
from sporax.parallel.auto_parallel import AutoParallel


def test_parameters_that_wait_and_may_not_be_drawn(mode: int) -> None:
    with nn.no_init_parameters():
        net = nn.SequentialCell(nn.Dense(2, 1), nn.Dense(1, 1, has_bias=False))
        wrapped = AutoParallel(net)
    wrapped.no_init_parameters_in_compile()
    net[0].weight.init_data()
    with pytest.raises(RuntimeError, match=r"no value: 0.bias, 1.weight. Load them, or call init_parameters_data\(\)"):
        wrapped(Tensor([[1.0, 2.0]]))
    net.init_parameters_data()
    assert wrapped(Tensor([[1.0, 2.0]])).shape == (1, 1)


def wrapped() -> AutoParallel:
    return AutoParallel(nn.Dense(2, 1), parallel_mode="semi_auto")


def test_settings_are_kept() -> None:
    net = wrapped()
    assert net.get_pipeline_stages() == 1
    net.pipeline(2, interleave=True, scheduler="gpipe")
    net.hsdp(4, 0, "level2")
    net.dataset_strategy("full_batch")
    net.comm_fusion({"openstate": True})
    assert net.get_pipeline_stages() == 2
    assert net._options["pipeline_config"] == {"pipeline_interleave": True, "pipeline_scheduler": "gpipe"}
    assert net._options["parallel_optimizer_config"] == {"parallel_optimizer_threshold": 0, "optimizer_level": "level2"}
    assert net._options["full_batch"] is True and net._options["comm_fusion"] == {"openstate": True}


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda n: n.pipeline(0), ValueError, "AutoParallel.pipeline: stages must be > 0, got 0"),
        (
            lambda n: n.pipeline(scheduler="x"),
            ValueError,
            "AutoParallel.pipeline: scheduler must be one of .*, got 'x'",
        ),
        (lambda n: n.hsdp(0), ValueError, "AutoParallel.hsdp: shard_size must be a positive int or -1, got 0"),
        (lambda n: n.hsdp(threshold=-1), ValueError, "AutoParallel.hsdp: threshold must be an int >= 0, got -1"),
        (
            lambda n: n.hsdp(optimizer_level="x"),
            ValueError,
            "optimizer_level must be level1, level2 or level3, got 'x'",
        ),
        (lambda n: n.dataset_strategy(None), ValueError, "AutoParallel.dataset_strategy: config must not be None"),
        (lambda n: n.dataset_strategy("x"), ValueError, "must be 'full_batch' or 'data_parallel', got 'x'"),
        (lambda n: n.dataset_strategy(3), TypeError, "config must be a str or a tuple, got 3"),
        (lambda n: n.dataset_strategy((3,)), TypeError, "must be a tuple of ints or a Layout, got 3"),
        (
            lambda n: n.save_operator_strategy_file("a.json"),
            KeyError,
            "an absolute path that ends with .json, got 'a.json'",
        ),
    ],
)
def test_settings_that_cannot_be(call, kind: type, text: str) -> None:
    with pytest.raises(kind, match=text):
        call(wrapped())
