"""What Weights & Biases keeps where it is installed."""

from pathlib import Path
from typing import Any

import pytest
from tracked_runs import WANTED
from training import model, rows

from sporax import train


def test_weights_and_biases_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    logged: list[Any] = []
    monkeypatch.setattr(wandb.Run, "log", lambda run, values, step: logged.append((set(values), step)))
    tracked = train.WandbCallback(3, project="p", mode="offline", dir=str(tmp_path))
    model({"mae"}).fit(2, rows(), rows(), callbacks=tracked)
    assert logged == WANTED and wandb.run is None
    assert list(tmp_path.rglob("*.wandb"))
