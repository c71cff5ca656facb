"""SummaryLandscape: the weights that are kept, and the loss around them."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training import model, rows

import sporax as ms
from sporax import Model, nn, train

SETTINGS = {"landscape_size": 4, "unit": "step", "num_samples": 8, "intervals": [[1, 2, 4], [4, 6, 8]]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("summary")
    collector = train.SummaryCollector(str(path), collect_specified_data={"collect_landscape": SETTINGS})
    model().train(2, rows(), callbacks=[collector])
    return path


def built() -> tuple[Any, ...]:
    net = nn.Dense(3, 1)
    metrics = {"loss": train.Loss()}
    return Model(net, nn.MSELoss(), metrics=metrics), net, rows(), metrics


def test_weights_that_are_kept(folder: Path) -> None:
    told = json.loads((folder / "ckpt_dir" / "train_metadata.json").read_text())
    assert told["epoch_group"] == {"0": [1, 2, 4], "1": [4, 6, 8]} and told["step_per_epoch"] == 4
    assert [Path(file).name for file in told["model_params_file_map"].values()] == [
        f"Dense_{n}_step.ckpt" for n in (1, 2, 4, 6, 8)
    ]
    assert {"unit": "step", "landscape_size": 4, "num_samples": 8}.items() <= told.items()
    assert told["create_landscape"] == {"train": True, "result": True}


def test_epochs_are_kept(tmp_path: Path) -> None:
    wanted = {"collect_landscape": {"unit": "epoch", "intervals": [[1, 2, 3]]}}
    model().train(3, rows(), callbacks=[train.SummaryCollector(str(tmp_path), collect_specified_data=wanted)])
    assert sorted(p.name for p in tmp_path.glob("ckpt_dir/*.ckpt")) == [f"Dense_{n}_epoch.ckpt" for n in (1, 2, 3)]


def test_landscapes(folder: Path, tmp_path: Path) -> None:
    np.random.seed(1)
    ms.SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(built, device_ids=[0], output=str(tmp_path))
    assert sorted(p.name for p in tmp_path.glob("*.npz")) == [
        "landscape_1_4.npz",
        "landscape_4_8.npz",
        "landscape_8.npz",
    ]
    evaluation, net, data, _ = built()
    for name, interval in (("landscape_1_4", [1, 2, 4]), ("landscape_8", [8])):
        with np.load(tmp_path / f"{name}.npz") as found:
            assert found["z"].shape == (4, 4) and np.isfinite(found["z"]).all()
            assert found["path"].shape == (len(interval), 2)
            for number, loss in zip(interval, found["path_losses"], strict=True):
                ms.load_checkpoint(str(folder / "ckpt_dir" / f"Dense_{number}_step.ckpt"), net)
                assert evaluation.eval(data)["loss"] == pytest.approx(loss, rel=1e-5)
    with np.load(tmp_path / "landscape_1_4.npz") as found:  # a loss of a linear model is a parabola in any direction
        second = np.diff(found["z"], 2, axis=1)
        np.testing.assert_allclose(second, np.broadcast_to(second[:1, :1], second.shape), rtol=1e-2, atol=1e-6)
        assert found["x"][0] < found["path"][:, 0].min() and found["path"][:, 0].max() < found["x"][-1]
    assert list(tmp_path.glob("events*"))


def test_what_is_asked_for_later(folder: Path, tmp_path: Path) -> None:
    asked = {"landscape_size": 3, "create_landscape": {"train": True, "result": False}, "intervals": [[2, 4, 6]]}
    made = ms.SummaryLandscape(str(folder))
    made.gen_landscapes_with_multi_process(built, asked, output=str(tmp_path))
    assert [p.name for p in tmp_path.glob("*.npz")] == ["landscape_2_6.npz"]


def test_weights_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "ckpt_dir").mkdir()
    ms.SummaryLandscape(str(tmp_path)).clean_ckpt()
    ms.SummaryLandscape(str(tmp_path)).clean_ckpt()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"size": 3}, ValueError, "collect_landscape takes landscape_size, unit, .*, got 'size'"),
        ({"landscape_size": 2}, ValueError, "landscape_size must be >= 3, got 2"),
        ({"landscape_size": 257}, ValueError, "landscape_size must be <= 256, got 257"),
        ({"num_samples": "a"}, TypeError, "num_samples must be an int, got 'a'"),
        ({"unit": "day"}, ValueError, "unit must be 'step' or 'epoch', got 'day'"),
        ({"create_landscape": {"train": 1}}, TypeError, "create_landscape must be a dict of bools"),
        ({"create_landscape": {"all": True}}, ValueError, "create_landscape takes 'train' and 'result', got 'all'"),
        ({"intervals": [1, 2, 3]}, TypeError, "intervals must be a list of lists"),
        ({"intervals": [[1, 2]]}, ValueError, re.escape("each of intervals must have at least 3 numbers, got [1, 2]")),
        ({"intervals": [[1, 2, "a"]]}, TypeError, "a number of intervals must be an int, got 'a'"),
    ],
)
def test_settings_that_are_refused(folder: Path, given: dict, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"SummaryCollector: {text}"):
        train.SummaryCollector(str(folder), collect_specified_data={"collect_landscape": given})
    with pytest.raises(error, match=f"SummaryLandscape: {text}"):
        ms.SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(built, given)


def test_what_is_missing(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"SummaryLandscape: there is no .*; have a SummaryCollector collect_landscape"
    ):
        ms.SummaryLandscape(str(tmp_path)).gen_landscapes_with_multi_process(built)
    made = ms.SummaryLandscape(str(folder))
    with pytest.raises(ValueError, match="SummaryLandscape: the weights of step 3 were not kept"):
        made.gen_landscapes_with_multi_process(built, {"intervals": [[1, 2, 3]]})
    with pytest.raises(ValueError, match="the metrics that callback_fn returns must hold a Loss"):
        made.gen_landscapes_with_multi_process(lambda: (*built()[:3], {"mae": train.MAE()}))
    with pytest.raises(TypeError, match="SummaryLandscape: callback_fn must return a Cell second, got 'net'"):
        made.gen_landscapes_with_multi_process(lambda: (built()[0], "net", rows(), {}))
    with pytest.raises(TypeError, match="SummaryLandscape: collect_landscape must be a dict, got 3"):
        made.gen_landscapes_with_multi_process(built, 3)  # type: ignore[arg-type]
