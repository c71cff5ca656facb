"""The README's five minutes: its files and its commands, with a kill in the middle."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from house import ROOT
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = README[README.index("## Five minutes") : README.index("## Status")]
TRAIN, PREDICT = re.findall(r"```python\n(.*?)```", TOUR, re.DOTALL)
COMMANDS = [line.split("#")[0].split() for line in re.search(r"```sh\n(.*?)```", TOUR, re.DOTALL)[1].splitlines()]
EXPORT = TRAIN.splitlines()[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tour's files are; its training has been killed once, and has then come to its end."""
    path = tmp_path_factory.mktemp("tour")
    assert "ONNX" in EXPORT
    (path / "train.py").write_text(
        TRAIN.replace(EXPORT, "")
    )  # the export needs an optional package, and has a test below
    (path / "predict.py").write_text(PREDICT)
    first, second, _ = COMMANDS
    with start(first, path) as training:
        until = time.monotonic() + 300
        while not list(path.glob("backup/*")) and training.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        os.kill(training.pid, signal.SIGKILL)
    assert training.returncode == -signal.SIGKILL and not (path / "network.ckpt").exists()
    with start(second, path) as training:
        printed = training.communicate(timeout=300)[0]
    assert training.returncode == 0, printed
    (path / "printed").write_text(printed)
    return path


def start(command: list[str], folder: Path) -> subprocess.Popen:
    assert command[0] == "sporax"
    call = [sys.executable, "-m", *command]
    return subprocess.Popen(call, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_training_goes_on_after_a_kill(folder: Path) -> None:
    (error,) = re.findall(r"'mae': ([\d.]+)", (folder / "printed").read_text())
    assert float(error) < 0.05 and (folder / "network.ckpt").exists()


def test_what_tensorboard_shows(folder: Path) -> None:
    assert COMMANDS[2] == ["tensorboard", "--logdir", "runs"]
    runs = EventAccumulator(str(folder / "runs"))
    runs.Reload()
    losses = [make_ndarray(event.tensor_proto).item() for event in runs.Tensors("loss/auto")]
    assert losses[0] > 10 * losses[-1]


def test_prediction_by_another_program(folder: Path) -> None:
    pytest.importorskip("jax2onnx")
    pytest.importorskip("onnxruntime")
    load = 'ms.load_checkpoint("network.ckpt", network)\n'
    (folder / "export.py").write_text(TRAIN[: TRAIN.index("optimizer =")] + load + EXPORT)
    with start(["sporax", "run", "export.py"], folder) as exporting:
        printed = exporting.communicate(timeout=300)[0]
    assert exporting.returncode == 0, printed
    done = subprocess.run([sys.executable, "predict.py"], cwd=folder, capture_output=True, text=True, check=True)
    products = re.findall(r"(-?[\d.]+) · +(-?[\d.]+) = +(-?[\d.]+)", done.stdout)
    assert len(products) == 4
    assert all(abs(float(a) * float(b) - float(c)) < 0.1 for a, b, c in products)
