"""Monitors print the lines that MindSpore 2.7.0's print."""

import re
import time

import numpy as np
import pytest
from training import GOLDEN, model, printed, rows, same_line

import sporax as ms
from sporax import Tensor, train
from sporax._src.train.callbacks.callback import InternalCallbackParam
from sporax.dataset import NumpySlicesDataset

FIRST = re.compile(r" \(first step, with compilation: T ms\)")
MOST = re.compile(r" \(most of it in \w+\)")
MONITORS = {
    "LossMonitor": lambda: (train.LossMonitor(), 2, {}),
    "LossMonitor(3)": lambda: (train.LossMonitor(3), 3, {}),
    "LossMonitor(0)": lambda: (train.LossMonitor(0), 2, {}),
    "LossMonitor, initial_epoch": lambda: (train.LossMonitor(), 2, {"initial_epoch": 1}),
    "TimeMonitor": lambda: (train.TimeMonitor(), 2, {}),
    "TimeMonitor(data_size=2)": lambda: (train.TimeMonitor(2), 2, {}),
    "TimeMonitor(data_time=True)": lambda: (train.TimeMonitor(data_time=True), 2, {}),
}


def assert_lines(got: list[str], want: list[str]) -> None:
    assert len(got) == len(want), got
    assert [g for g, w in zip(got, want, strict=True) if not same_line(g, w)] == []


@pytest.mark.parametrize("name", MONITORS)
def test_monitors_print_the_same_lines(name: str) -> None:
    """The lines are MindSpore's; the first of a TimeMonitor also says how long the first step took."""
    callback, epochs, options = MONITORS[name]()
    got = printed(lambda: model().train(epochs, rows(), callbacks=callback, **options))
    if name.startswith("Time"):
        assert FIRST.search(got[0]) and not any(FIRST.search(line) for line in got[1:])
        got = [MOST.sub("", FIRST.sub("", line)) for line in got]
    assert_lines(got, GOLDEN["printed"][name])


def test_monitors_in_fit_and_eval() -> None:
    """LossMonitor shows the metrics of an epoch; TimeMonitor times the evaluation too."""
    metrics = {"loss", "mae"}
    got = printed(lambda: model(metrics).fit(2, rows(), rows(), callbacks=[train.LossMonitor(2)]))
    assert_lines(got, GOLDEN["printed"]["LossMonitor, fit"])
    got = printed(lambda: model(metrics).eval(rows(), callbacks=train.LossMonitor()))
    assert_lines(got, GOLDEN["printed"]["LossMonitor, eval"])
    got = printed(lambda: model(metrics).fit(1, rows(), rows(), callbacks=train.TimeMonitor()))
    assert [FIRST.sub("", line) for line in got] == GOLDEN["printed"]["TimeMonitor, fit"]
    got = printed(lambda: model(metrics).eval(rows(), callbacks=train.TimeMonitor()))
    assert [FIRST.sub("", line) for line in got] == GOLDEN["printed"]["TimeMonitor, eval"]


def test_sink_mode_times_no_first_step(not_on_cpu: None) -> None:
    """Where a TimeMonitor hears of the last step of an epoch alone, it says nothing of the first."""
    got = printed(lambda: model().train(1, rows(), callbacks=train.TimeMonitor(), dataset_sink_mode=True))
    assert len(got) == 1
    assert "per step time" in got[0]
    assert not FIRST.search(got[0])


@pytest.mark.parametrize("bad", [float("nan"), 1e30])
@pytest.mark.parametrize("every", [1, 0, 100])
def test_loss_that_is_no_number_stops_training(bad: float, every: int) -> None:
    with pytest.raises(ValueError, match=r"In epoch: 1 step: 1, loss is NAN or INF, training process cannot continue"):
        model().train(1, rows(bad), callbacks=train.LossMonitor(every))


def test_loss_monitor_counts_anew_in_another_run() -> None:
    monitor = train.LossMonitor(3)
    first = printed(lambda: model().train(2, rows(), callbacks=monitor))
    second = printed(lambda: model().train(2, rows(), callbacks=monitor))
    for lines in (first, second):
        assert [line.split(",")[0] for line in lines] == ["epoch: 1 step: 3", "epoch: 2 step: 2"]


def test_loss_monitor_shows_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """One bar for each epoch, with the epoch and the loss."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = "\n".join(printed(lambda: model().train(2, rows(), callbacks=train.LossMonitor())))
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert "epoch 1/2" in text and "epoch 2/2" in text
    assert "4/4" in text and "loss 0.01188" in text
    assert "loss is" not in text


def test_loss_among_outputs() -> None:
    """A tuple's first output is the loss; a Tensor's mean is shown."""
    monitor = train.LossMonitor()
    args = InternalCallbackParam(cur_epoch_num=1, cur_step_num=1, batch_num=2, mode="train")
    args.net_outputs = (Tensor(np.float32([1.0, 2.0])), Tensor(False))
    assert printed(lambda: monitor.step_end(train.RunContext(args))) == ["epoch: 1 step: 1, loss is 1.5"]
    args.update(cur_step_num=2, net_outputs="no loss")
    assert printed(lambda: monitor.step_end(train.RunContext(args))) == ["epoch: 1 step: 2, loss is no loss"]


def test_loss_monitor_writes_to_any_object(monkeypatch) -> None:
    """A program may put an object of its own in the place of `sys.stdout`: it has `write` and `flush`, no more."""

    class Written:
        text = ""

        def write(self, text: str) -> None:
            self.text += text

        def flush(self) -> None:
            pass

    written = Written()
    monkeypatch.setattr("sys.stdout", written)
    model().train(1, rows(), train.LossMonitor(), dataset_sink_mode=False)
    assert "epoch: 1 step: 1, loss is " in written.text


def test_the_dataset_that_takes_longest_is_named(capsys: pytest.CaptureFixture) -> None:
    def slow(x: np.ndarray) -> np.ndarray:
        time.sleep(0.005)
        return x

    data = NumpySlicesDataset((np.ones((4, 3), np.float32),), shuffle=False).map(slow, "column_0").batch(2)
    ms.Model(ms.nn.Dense(3, 1)).train(1, data, train.TimeMonitor(data_time=True))
    assert re.search(r"\(data time: +\d+\.\d+ ms\) \(most of it in map\)", capsys.readouterr().out)
