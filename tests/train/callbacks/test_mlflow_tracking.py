"""What MLflow keeps where it is installed."""

from pathlib import Path

import pytest
from tracked_runs import WANTED
from training import model, rows

from sporax import train


def test_mlflow_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(tmp_path.as_uri())
    experiment = mlflow.set_experiment("digits").experiment_id
    model({"mae"}).fit(2, rows(), rows(), callbacks=train.MLflowCallback(3, params={"batch": 2}, run_name="first"))
    (run,) = mlflow.MlflowClient().search_runs([experiment])
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "loss")
    assert [point.step for point in history] == [1, 3, 6] and run.info.status == "FINISHED"
    assert run.data.params == {"batch": "2"} and set(run.data.metrics) == {
        name for names, _ in WANTED for name in names
    }
