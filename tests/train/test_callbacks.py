"""Callbacks print, stop and change what MindSpore 2.7.0's do."""

import os
import re
import signal
from pathlib import Path

import numpy as np
import pytest
from training import GOLDEN, model, printed, rows, same_line

from sporax import Tensor, train
from sporax._src.train.callbacks.callback import CallbackList, InternalCallbackParam

FIRST = re.compile(r" \(first step, with compilation: T ms\)")

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
        got = [FIRST.sub("", line) for line in got]
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


def test_early_stopping() -> None:
    """Training ends at the epoch, and with the text, that it ends with in MindSpore."""
    runs = {
        "patience 2": {"monitor": "loss", "patience": 2, "min_delta": 0.05},
        "patience 0": {"monitor": "loss", "patience": 0},
        "max": {"monitor": "loss", "mode": "max", "patience": 1},
        "baseline": {"monitor": "loss", "patience": 3, "baseline": 1e-9, "restore_best_weights": True},
        "absent": {"monitor": "nonsense"},
    }
    for name, options in runs.items():
        seen: list[int] = []
        watch = train.LambdaCallback(on_train_epoch_end=lambda c: seen.append(c.original_args().cur_epoch_num))  # noqa: B023
        stop = train.EarlyStopping(verbose=True, **options)
        built = model({"loss"}, 0.3)
        lines = printed(lambda: built.fit(8, rows(), rows(), callbacks=[stop, watch]))  # noqa: B023
        assert {"epochs": seen, "lines": lines} == GOLDEN["early"][name], name


def test_early_stopping_restores_the_best_weights() -> None:
    best: dict[float, np.ndarray] = {}

    def note(run_context: train.RunContext) -> None:
        args = run_context.original_args()
        best[args.eval_results["eval_loss"]] = args.network.weight.asnumpy()

    built = model({"mae"}, 0.5)
    stop = train.EarlyStopping(patience=2, restore_best_weights=True)
    built.fit(8, rows(), rows(), callbacks=[train.LambdaCallback(on_train_epoch_end=note), stop])
    assert stop.stopped_epoch and len(best) > 2
    np.testing.assert_array_equal(built.predict_network.weight.asnumpy(), best[min(best)])


def test_reduce_learning_rate() -> None:
    built, rates = model({"loss"}, 0.2), []
    watch = train.LambdaCallback(
        on_train_epoch_end=lambda c: rates.append(float(c.original_args().optimizer.learning_rate.asnumpy()))
    )
    reduce = train.ReduceLROnPlateau("loss", 0.5, 1, True, min_delta=0.3, cooldown=1, min_lr=0.05)
    lines = printed(lambda: built.fit(7, rows(), rows(), callbacks=[reduce, watch]))
    assert {"rates": rates, "lines": lines} == GOLDEN["plateau"]


def test_reduce_learning_rate_needs_one_rate() -> None:
    with pytest.raises(ValueError, match="the learning rate must be one number, not a list, schedule or groups"):
        model({"loss"}, [0.1] * 8).fit(1, rows(), rows(), callbacks=train.ReduceLROnPlateau("loss"))


def test_learning_rate_scheduler(mode: int) -> None:
    """The rate changes after the step, and no graph is built for it."""
    built = model()
    rates: list[float] = []

    def halve(rate: float, step: int) -> float:
        rates.append(rate)
        return rate / 2 if step % 2 == 0 else rate

    built.train(1, rows(), callbacks=train.LearningRateScheduler(halve))
    assert rates == [0.1, 0.1, 0.05, 0.05]


def test_history() -> None:
    kept = train.History()
    model({"loss", "mae"}).fit(2, rows(), rows(), callbacks=kept)
    want = GOLDEN["history"]
    assert kept.epoch == want["epoch"]
    assert kept.history.keys() == want["history"].keys()
    for name, values in want["history"].items():
        np.testing.assert_allclose(kept.history[name], values, rtol=2e-5)


def test_lambda_callback() -> None:
    """Functions are called with the run; events without one do nothing."""
    heard: list[str] = []
    called = train.LambdaCallback(
        on_train_begin=lambda c: heard.append("begin"), on_train_end=lambda c: heard.append("end")
    )
    model().train(1, rows(), callbacks=[called])
    assert heard == ["begin", "end"]


def test_old_and_new_events() -> None:
    """A callback that overrides `step_end` hears training and evaluation; `on_train_step_end` only training."""
    heard: list[str] = []

    class Both(train.Callback):
        def step_end(self, run_context: train.RunContext) -> None:
            heard.append(run_context.original_args().mode)

        def __exit__(self, *error: object) -> None:
            heard.append("exit")

    built = model({"loss"})
    built.train(1, rows(), callbacks=Both())
    built.eval(rows(), callbacks=Both())
    assert heard == ["train"] * 4 + ["exit"] + ["eval"] * 4 + ["exit"]


def test_backup_and_restore(tmp_path: Path) -> None:
    """A run that breaks leaves its backup; the next goes on from there and removes it at its end."""

    class Break(train.Callback):
        def on_train_step_end(self, run_context: train.RunContext) -> None:
            if run_context.original_args().cur_step_num == 6:
                raise KeyboardInterrupt

    whole = model()
    whole.train(3, rows())
    backup = lambda: train.BackupAndRestore(str(tmp_path / "b"))
    with pytest.raises(KeyboardInterrupt):
        model().train(3, rows(), callbacks=[backup(), Break()])
    assert (tmp_path / "b" / "backup.ckpt").exists()
    again = model()
    again.train(3, rows(), callbacks=backup(), initial_epoch=1)
    assert not (tmp_path / "b" / "backup.ckpt").exists()
    np.testing.assert_array_equal(whole.predict_network.weight.asnumpy(), again.predict_network.weight.asnumpy())


def test_exit_on_request(tmp_path: Path) -> None:
    """The signal ends training after the step with a checkpoint, from which the next run goes on."""
    before = signal.getsignal(signal.SIGUSR1)

    class Ask(train.Callback):
        def on_train_step_begin(self, run_context: train.RunContext) -> None:
            if run_context.original_args().cur_step_num == 4:
                os.kill(os.getpid(), signal.SIGUSR1)

    def leave() -> train.OnRequestExit:
        return train.OnRequestExit(file_name="net", directory=str(tmp_path), sig=signal.SIGUSR1)

    whole, built = model(), model()
    whole.train(2, rows())
    built.train(2, rows(), callbacks=[leave(), Ask()])
    assert (tmp_path / "rank_0" / "net_train.ckpt").exists()
    assert signal.getsignal(signal.SIGUSR1) is before
    again = model()
    again.train(2, rows(), callbacks=leave(), initial_epoch=1)
    np.testing.assert_array_equal(whole.predict_network.weight.asnumpy(), again.predict_network.weight.asnumpy())


def test_a_run_that_fails_gives_the_signal_back(tmp_path: Path) -> None:
    def fail(_: train.RunContext) -> None:
        raise ValueError("no more")

    before = signal.getsignal(signal.SIGUSR1)
    leave = train.OnRequestExit(file_name="net", directory=str(tmp_path), sig=signal.SIGUSR1)
    with pytest.raises(ValueError, match="no more"):
        model().train(1, rows(), callbacks=[leave, train.LambdaCallback(on_train_step_end=fail)])
    assert signal.getsignal(signal.SIGUSR1) is before


def test_exit_by_file(tmp_path: Path) -> None:
    """`GracefulExit` in the file asks for the exit; evaluation stops too."""
    asked = tmp_path / "config.json"
    asked.write_text('{"GracefulExit": 1}')
    leave = train.OnRequestExit(file_name="net", directory=str(tmp_path), config_file=str(asked))
    seen: list[int] = []
    watch = train.LambdaCallback(on_train_step_end=lambda c: seen.append(1), on_eval_step_end=lambda c: seen.append(2))
    model({"loss"}).train(2, rows(), callbacks=[leave, watch])
    model({"loss"}).eval(rows(), callbacks=[leave, watch])
    assert seen == [1, 2]
    assert {p.name for p in (tmp_path / "rank_0").iterdir()} == {"net_train.ckpt", "net_eval.ckpt"}


ERRORS = {
    "LossMonitor(-1)": (lambda: train.LossMonitor(-1), "per_print_times must be >= 0, got -1"),
    "LossMonitor('a')": (lambda: train.LossMonitor("a"), "per_print_times must be an int, got 'a'"),
    "TimeMonitor(data_time=1)": (lambda: train.TimeMonitor(data_time=1), "data_time must be a bool, got 1"),
    "EarlyStopping(mode='best')": (lambda: train.EarlyStopping(mode="best"), "mode must be 'auto', 'min' or 'max'"),
    "EarlyStopping(patience=-1)": (lambda: train.EarlyStopping(patience=-1), "patience must be >= 0, got -1"),
    "EarlyStopping(monitor=1)": (lambda: train.EarlyStopping(monitor=1), "monitor must be str, got 1"),
    "ReduceLROnPlateau(factor=1.5)": (lambda: train.ReduceLROnPlateau(factor=1.5), "factor must be between 0 and 1"),
    "ReduceLROnPlateau(mode='best')": (lambda: train.ReduceLROnPlateau(mode="best"), "mode must be 'auto'"),
    "RunContext(1)": (lambda: train.RunContext(1), "original_args must be a dict, got 1"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    call, text = ERRORS[name]
    with pytest.raises((TypeError, ValueError), match=text) as error:
        call()
    assert type(error.value).__name__ == GOLDEN["errors"][name].split(":")[0]
    assert str(error.value).startswith(name.split("(")[0])


def test_errors_of_our_own(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="BackupAndRestore: delete_checkpoint must be a bool, got 1"):
        train.BackupAndRestore(str(tmp_path), delete_checkpoint=1)
    with pytest.raises(ValueError, match="BackupAndRestore: save_freq must be >= 1, got 0"):
        train.BackupAndRestore(str(tmp_path), 0)
    with pytest.raises(TypeError, match="OnRequestExit: save_ckpt must be bool, got 1"):
        train.OnRequestExit(1, directory=str(tmp_path))
    with pytest.raises(ValueError, match="SIGKILL ends a process at once"):
        train.OnRequestExit(directory=str(tmp_path), sig=signal.SIGKILL)
    watch = train.EarlyStopping("acc")
    with pytest.raises(ValueError, match=r"EarlyStopping: acc must be a scalar, got shape \[2\]"):
        watch.current(InternalCallbackParam(eval_results={"acc": np.ones(2)}))
    with pytest.raises(TypeError, match="callbacks must be Callback objects, got 'x'"):
        CallbackList("x")


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


def test_a_list_passes_events_on() -> None:
    """Programs that write their own loop call the events of a list of callbacks as of one."""
    seen: list[str] = []
    events = [name for name in vars(train.Callback) if name.startswith("on_")]
    noting = {name: lambda self, context, name=name: seen.append(name) for name in events}
    with CallbackList([type("Noting", (train.Callback,), noting)()]) as callbacks:
        for name in events:
            getattr(callbacks, name)(None)
    assert seen == events and "on_train_epoch_end" in events
