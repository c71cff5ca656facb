"""The README's program, and the tour: its files and its commands, with a kill in the middle."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from documents import shows
from house import ROOT
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "docs" / "start" / "tour.md").read_text(encoding="utf-8")
TRAIN, PREDICT = re.findall(r"```python\n(.*?)```", TOUR, re.DOTALL)
RESUMED = re.search(r"```text\n(.*?)```", TOUR, re.DOTALL)[1]
COMMANDS = [line.split("#")[0].split() for line in re.search(r"```sh\n(.*?)```", TOUR, re.DOTALL)[1].splitlines()]
EXPORT = TRAIN.splitlines()[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tour's files are; its training has been killed once, and has then come to its end."""
    path = tmp_path_factory.mktemp("tour")
    assert "ONNX" in EXPORT
    (path / "train.py").write_text(
        TRAIN.replace(EXPORT, "").replace("40_000", "12_000")
    )  # the export needs an optional package, and has a test below
    (path / "predict.py").write_text(PREDICT)
    first, second, _ = COMMANDS
    with start(first, path) as training:
        until = time.monotonic() + 300
        while not list(path.glob("backup/backup.ckpt")) and training.poll() is None and time.monotonic() < until:
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


def test_the_program_of_the_readme_learns(tmp_path: Path) -> None:
    (text,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "train.py").write_text(text)
    done = subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(re.search(r"'mae': ([\d.]+)", done.stdout)[1]) < 0.05


def test_readme_and_tour_are_short() -> None:
    """About a screen of text each, beside their programs."""
    for text in (README, TOUR):
        assert len(re.sub(r"```python\n.*?```", "", text, flags=re.DOTALL).splitlines()) < 80


def test_training_goes_on_after_a_kill(folder: Path) -> None:
    printed = (folder / "printed").read_text()
    assert shows(f"{RESUMED}...", printed)
    (error,) = re.findall(r"'mae': ([\d.]+)", printed)
    assert float(error) < 0.05 and (folder / "network.ckpt").exists()


def test_what_tensorboard_shows(folder: Path) -> None:
    assert COMMANDS[2] == ["tensorboard", "--logdir", "runs"]
    runs = EventAccumulator(str(folder / "runs"))
    runs.Reload()
    losses = [make_ndarray(event.tensor_proto).item() for event in runs.Tensors("loss/auto")]
    assert losses[0] > 10 * losses[-1]
    errors = [make_ndarray(event.tensor_proto).item() for event in runs.Tensors("eval/mae")]
    assert errors[0] > errors[-1]


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
