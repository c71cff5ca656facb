"""The base of callbacks: events, lists, functions, schedules of rates, errors of all callbacks."""

import signal
from pathlib import Path

import numpy as np
import pytest
from training import GOLDEN, model, rows

from sporax import train
from sporax._src.train.callbacks.callback import CallbackList, InternalCallbackParam


def test_learning_rate_scheduler(mode: int) -> None:
    """The rate changes after the step, and no graph is built for it."""
    built = model()
    rates: list[float] = []

    def halve(rate: float, step: int) -> float:
        rates.append(rate)
        return rate / 2 if step % 2 == 0 else rate

    built.train(1, rows(), callbacks=train.LearningRateScheduler(halve))
    assert rates == [0.1, 0.1, 0.05, 0.05]


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


def test_a_list_passes_events_on() -> None:
    """Programs that write their own loop call the events of a list of callbacks as of one."""
    seen: list[str] = []
    events = [name for name in vars(train.Callback) if name.startswith("on_")]
    noting = {name: lambda self, context, name=name: seen.append(name) for name in events}
    with CallbackList([type("Noting", (train.Callback,), noting)()]) as callbacks:
        for name in events:
            getattr(callbacks, name)(None)
    assert seen == events and "on_train_epoch_end" in events
