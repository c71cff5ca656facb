"""FlopsUtilizationCollector: the counts and lines of MindSpore 2.7.0 on the CPU."""

import re
from pathlib import Path

import numpy as np
import pytest
from training import printed

import sporax as ms
from sporax import nn, train


def run(*options: object, net: nn.Cell | None = None, shape: tuple[int, ...] = (10,), **named: object) -> list[str]:
    """Return the lines of training for two epochs of two steps, and of an evaluation."""
    net = net or nn.Dense(10, 5)
    rows = ms.dataset.NumpySlicesDataset(
        (np.ones((64, *shape), np.float32), np.zeros(64, np.int32)), shuffle=False
    ).batch(32)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    collector = train.FlopsUtilizationCollector(2, *options, **named)
    model = train.Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9), metrics={"loss"})

    def both() -> None:
        model.train(2, rows, callbacks=[collector])
        model.eval(rows, callbacks=[collector])

    return [re.sub(r"\d+\.\d+(?= ms|%)", "N", line) for line in printed(both)]


@pytest.fixture
def graph_mode() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)


STEP = "per step time: T ms mfu:N% hfu:N%"


@pytest.mark.usefixtures("graph_mode")
def test_lines() -> None:
    """6,400: forward and the gradient of the weight, each 2 · 32 · 10 · 5; the last step of an epoch is not shown."""
    got = run(10e6)
    counted = "model flops is 6400.0, {0} hardware flops is 6400.0"
    assert got[0] == f"Full {counted.format('Full')}, Shard {counted.format('Shard')}."
    assert got[1:] == [f"Train {STEP}", f"Train {STEP}", f"Eval {STEP}"]
    assert run(10e6, False)[0] == f"Shard {counted.format('Shard')}."


@pytest.mark.usefixtures("graph_mode")
def test_convolutions_and_branches() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.head = nn.Conv2d(3, 8, 3), nn.Dense(8, 5)

        def construct(self, x):
            return self.head(self.conv(x).mean((2, 3)))

    conv, head = 2 * (32 * 8 * 8 * 8) * 27, 2 * 32 * 8 * 5
    assert f" {2 * conv + 3 * head}.0," in run(net=Net(), shape=(3, 8, 8))[0]


@pytest.mark.usefixtures("graph_mode")
def test_figures_for_other_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MA_LOG_DIR", str(tmp_path))
    assert run(1, True, True) == []
    lines = (tmp_path / "flops_rank_0.txt").read_text().splitlines()
    assert [re.sub(r" \d{13}$", " T", line) for line in lines] == [
        f'flops{{type="{kind}", rank_id="0"}} 6400.0 T' for kind in ("model_flops", "hardware_flops")
    ]
    text = (tmp_path / "time_step_rank_0.txt").read_text()
    assert re.fullmatch(r'time_monitor\{type="per_step_time", rank_id="0"\} [\d.]+ \d{13}\n', text)


def test_pynative_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MA_LOG_DIR", str(tmp_path))
    with pytest.raises(ValueError, match="FlopsUtilizationCollector: only graph mode is supported"):
        run(10e6)
    assert run(enable_ma_collector=True) == [] and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ((0,), ValueError, "data_size must be >= 1, got 0"),
        (("a",), TypeError, "data_size must be an int, got 'a'"),
        ((2, 1, "a"), TypeError, "full_flops must be a bool, got 'a'"),
        ((2, 1, True, 3), TypeError, "enable_ma_collector must be a bool, got 3"),
    ],
)
def test_what_is_refused(given: tuple, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"FlopsUtilizationCollector: {text}"):
        train.FlopsUtilizationCollector(*given)
