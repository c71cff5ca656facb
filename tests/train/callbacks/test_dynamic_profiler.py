"""DynamicProfilerMonitor: a file says which steps are recorded."""

import json
from pathlib import Path

import pytest
from training import model, printed, rows

import sporax as ms
from sporax import Tensor
from sporax.profiler import DynamicProfilerMonitor, HostSystem


def write(folder: Path, **settings: object) -> None:
    (folder / "profiler_config.json").write_text(json.dumps(settings))


def traces(folder: Path) -> list[str]:
    return sorted({path.relative_to(folder).parts[0] for path in folder.rglob("*.xplane.pb")})


def test_the_file_is_written(tmp_path: Path) -> None:
    DynamicProfilerMonitor(str(tmp_path / "a"))
    assert json.loads((tmp_path / "a" / "profiler_config.json").read_text())["start_step"] == -1
    write(tmp_path, start_step=3, stop_step=4)
    DynamicProfilerMonitor(str(tmp_path))
    assert json.loads((tmp_path / "profiler_config.json").read_text()) == {"start_step": 3, "stop_step": 4}


def test_steps_of_training(tmp_path: Path) -> None:
    """The file may change while training goes on."""
    write(tmp_path, start_step=2, stop_step=3, activities=["CPU"])

    def change(run_context) -> None:
        if run_context.original_args().cur_step_num == 5:
            write(tmp_path, start_step=7, stop_step=7, prof_path=str(tmp_path / "other"))

    out = tmp_path / "out"
    callbacks = [DynamicProfilerMonitor(str(tmp_path), str(out)), ms.train.LambdaCallback(on_train_step_end=change)]
    lines = printed(lambda: model().train(2, rows(), callbacks=callbacks))
    assert traces(out) == ["rank0_start2_stop3"] and traces(tmp_path / "other") == ["rank0_start7_stop7"]
    assert lines == [
        "Rank 0 Dynamic profiler start at step 2, will stop at step 3", "Rank 0 Dynamic profiler stop at step 3",
        "Rank 0 Dynamic profiler start at step 7, will stop at step 7", "Rank 0 Dynamic profiler stop at step 7",
    ]  # fmt: skip


def test_rounds_of_a_loop(tmp_path: Path) -> None:
    write(tmp_path, start_step=1, stop_step=2)
    monitor = DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out"))
    for _ in range(4):
        ms.ops.sin(Tensor([1.0]))
        monitor.step()
    (text,) = (tmp_path / "out").rglob("report.txt")
    assert text.parent.name == "rank0_start1_stop2" and "│     2 │" in text.read_text()


def test_a_run_that_ends_before_the_last_step(tmp_path: Path) -> None:
    write(tmp_path, start_step=3, stop_step=100)
    model().train(1, rows(), callbacks=DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out")))
    assert traces(tmp_path / "out") == ["rank0_start3_stop100"]


def test_what_is_wrong(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(TypeError, match="DynamicProfilerMonitor: cfg_path must be a string, got None"):
        DynamicProfilerMonitor()
    write(tmp_path, start_step=2, stop_step=1)
    monitor = DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out"))
    model().train(1, rows(), callbacks=monitor)
    assert "stop_step must not be before start_step, got 1 and 2." in caplog.text
    caplog.clear()
    (tmp_path / "profiler_config.json").write_text("{")
    model().train(1, rows(), callbacks=DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out")))
    assert len(caplog.records) == 1 and "profiler_config.json cannot be read: " in caplog.text
    assert not (tmp_path / "out").exists()


def test_names_of_ascend() -> None:
    assert [kind.value for kind in HostSystem] == ["cpu", "mem", "disk", "network", "osrt"]
