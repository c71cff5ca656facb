"""ProgressBar on a terminal, in a pipe, over rows, in every run."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from training import model, printed, rows

from sporax import train
from sporax._src.train.callbacks import callback, progress_line
from sporax._src.train.callbacks.progress_line import ProgressLine

PROGRAM = """\
import numpy as np
from mindspore import dataset, nn, train

rows = dataset.NumpySlicesDataset((np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)), shuffle=False).batch(2)
net = nn.Dense(2, 1)
model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), metrics={"mae"})
model.fit(2, rows, rows, callbacks=[train.LossMonitor(4)])
model.eval(rows)
print("done")
"""


class Lines:
    """Stands for a display, and keeps what is shown."""

    def __init__(self, total: int | None) -> None:
        self.total, self.shown, self.closed = total, [], 0
        made.append(self)

    def show(self, label: str, done: int, total: int | None, text: str) -> None:
        self.shown.append((label, done, re.sub(r"\d[\d.]*(e[+-]\d+)?", "N", text)))

    def close(self) -> None:
        self.closed += 1


made: list[Lines] = []


@pytest.fixture
def displays(monkeypatch: pytest.MonkeyPatch) -> list[Lines]:
    """What is shown, at each step."""
    made.clear()
    monkeypatch.setattr(progress_line, "_Terminal", Lines)
    monkeypatch.setattr(progress_line, "PERIOD", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    return made


def test_training_is_one_line_for_all_epochs(displays: list[Lines]) -> None:
    model().train(2, rows(), callbacks=train.ProgressBar())
    (line,) = displays
    assert (line.total, line.closed, ProgressLine.shown) == (8, 1, None)
    assert line.shown[0] == ("epoch 1/2", 1, "loss N")
    assert line.shown[1] == ("epoch 1/2", 2, "loss N  N steps/s  N:N left")
    assert [done for _, done, _ in line.shown] == [1, 2, 3, 4, 4, 5, 6, 7, 8, 8]
    assert line.shown[-1] == ("epoch 2/2", 8, "loss N  N steps/s")


def test_evaluation_between_epochs_is_in_the_same_line(displays: list[Lines]) -> None:
    model({"mae"}).fit(3, rows(), rows(), callbacks=train.ProgressBar(), initial_epoch=1)
    (line,) = displays
    assert line.shown[4] == ("epoch 2/3", 4, "eval N/N  N steps/s  N:N left")
    assert line.shown[-1] == ("epoch 3/3", 8, "loss N  mae N  eval_loss N  N steps/s")


@pytest.mark.parametrize(("stop_at", "place"), [(8, "epoch 2 of 5"), (6, "step 2 of epoch 2 of 5")])
def test_a_resumed_run_counts_on(displays: list[Lines], tmp_path: Path, stop_at: int, place: str) -> None:
    config = train.CheckpointConfig(save_checkpoint_steps=1, run_state=True)
    kept = train.BackupAndRestore(str(tmp_path)) if stop_at == 8 else train.ModelCheckpoint("run", tmp_path, config)
    with pytest.raises(KeyboardInterrupt):
        model().train(5, rows(), [kept, Interrupted(stop_at + 1)])
    displays.clear()
    callbacks = [train.ResumeFrom(tmp_path), train.ProgressBar()]
    if stop_at == 6:
        max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns).unlink()
    lines = printed(lambda: model().train(5, rows(), callbacks))
    assert len(lines) == 1 and re.fullmatch(rf"The run goes on after {place}, from {tmp_path}/\S+\.ckpt\.", lines[0])
    (line,) = displays
    assert line.total == 20 and line.shown[0][1] == stop_at + 1 and line.shown[-1][:2] == ("epoch 5/5", 20)


class Interrupted(train.Callback):
    """Ends a run after a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_train_step_end(self, run_context: train.RunContext) -> None:
        if run_context.original_args().cur_step_num == self.step:
            raise KeyboardInterrupt


def test_evaluation_alone(displays: list[Lines]) -> None:
    model({"mae"}).eval(rows(), callbacks=train.ProgressBar())
    (line,) = displays
    assert line.shown[0] == ("eval", 1, "") and line.shown[-1] == ("eval", 4, "mae N  N steps/s") and line.closed == 1


def test_rows_that_are_tracked(displays: list[Lines]) -> None:
    bar, built = train.ProgressBar(), model()
    outputs = [built.predict(x) for x, _ in bar.track(rows())]
    assert len(outputs) == 4 and displays[0].total == 4
    assert displays[0].shown[-1] == ("predict", 4, "N steps/s")
    assert list(bar.track([1, 2], "items")) == [1, 2] and displays[1].total == 2
    assert list(bar.track(iter("ab"))) == ["a", "b"] and displays[2].total is None
    tracked = bar.track([1, 2])
    next(tracked)
    tracked.close()
    assert displays[3].closed == 1 and ProgressLine.shown is None


def test_a_run_that_fails_leaves_no_line(displays: list[Lines]) -> None:
    def fail(run_context: train.RunContext) -> None:
        raise KeyError("stop")

    callbacks = [train.ProgressBar(), train.LambdaCallback(on_train_step_end=fail)]
    with pytest.raises(KeyError):
        model().train(1, rows(), callbacks=callbacks)
    assert displays[0].closed == 1 and ProgressLine.shown is None


def test_nothing_is_shown_where_nobody_watches() -> None:
    assert printed(lambda: model({"mae"}).fit(1, rows(), rows(), callbacks=train.ProgressBar())) == []
    assert printed(lambda: list(train.ProgressBar().track([1, 2]))) == []


def test_beside_a_loss_monitor_lines_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    callbacks = [train.ProgressBar(), train.LossMonitor(4)]
    text = "\n".join(printed(lambda: model().train(2, rows(), callbacks=callbacks)))
    assert text.count("loss is") == 2 and "epoch 2/2" in text


def test_a_bar_for_all_runs(displays: list[Lines], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callback, "STANDING", standing := [])
    monkeypatch.setattr("sporax._src.train.callbacks.progress.STANDING", standing)
    train.ProgressBar.for_all_runs()
    train.ProgressBar.for_all_runs()
    model().train(1, rows())
    model().train(1, rows(), callbacks=[train.ProgressBar()])
    assert len(standing) == 1 and len(displays) == 2


def run(*options: str, folder: Path, terminal: bool) -> str:
    """Return what a program prints, on a terminal or in a pipe."""
    (folder / "train.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "sporax", "run", *options, "train.py"]
    if not terminal:
        return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True).stdout
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command,
        stdout=theirs,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ):
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # Linux says so that the other end is closed
            pass
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())


def test_a_program_that_asks_for_none(tmp_path: Path) -> None:
    quiet = run("--progress", folder=tmp_path, terminal=False)
    assert [line.split(",")[0] for line in quiet.splitlines()] == [
        "epoch: 1 step: 4", "Eval result: epoch 1", "epoch: 2 step: 4", "Eval result: epoch 2", "done"
    ]  # fmt: skip
    shown = run("--progress", folder=tmp_path, terminal=True)
    assert re.search(r"epoch 2/2 \S+ 8/8 loss \S+  mae \S+  eval_loss \S+  \S+ steps/s", shown)
    assert re.search(r"eval \S+ 4/4 mae \S+", shown) and shown.rstrip().endswith("done")
    assert "epoch: 1 step: 4, loss is" in shown
