"""The profiler: traces of JAX's in the folder that is named, when a schedule says so."""

import json
from pathlib import Path

import pytest

import sporax as ms
from sporax import Tensor
from sporax.profiler import ProfilerLevel, _ExperimentalConfig, mstx, profile, schedule, tensorboard_trace_handler


def traces(folder: Path) -> int:
    return len(list(folder.rglob("*.xplane.pb")))


def work() -> None:
    ms.ops.sin(Tensor([1.0])).asnumpy()


def test_profiler(tmp_path: Path) -> None:
    profiler = ms.Profiler(output_path=str(tmp_path), profiler_level=ProfilerLevel.Level0)
    work()
    number = mstx.range_start("stretch")
    mstx.mark("moment")
    mstx.range_end(number)
    mstx.range_end(number)
    profiler.add_metadata("run", "a")
    profiler.add_metadata_json("sizes", "[1, 2]")
    profiler.analyse()
    assert traces(tmp_path) == 1
    assert json.loads((tmp_path / "profiler_metadata.json").read_text()) == {"run": "a", "sizes": [1, 2]}


def test_start_and_stop(tmp_path: Path) -> None:
    profiler = ms.Profiler(output_path=str(tmp_path), start_profile=False)
    assert not list(tmp_path.iterdir())
    profiler.start()
    with pytest.raises(RuntimeError, match=r"profile.start: another profiler is recording; stop it first"):
        profile().start()
    work()
    profiler.stop()
    profiler.stop()
    assert traces(tmp_path) == 1


def test_schedule() -> None:
    """The actions are those of MindSpore 2.7.0."""
    plan = schedule(wait=1, active=2, warmup=1, repeat=2, skip_first=1)
    once = ["NONE", "WARM_UP", "RECORD", "RECORD_AND_SAVE"]
    assert [plan(i).name for i in range(11)] == ["NONE", *once, *once, "NONE", "NONE"]
    for options, match in (
        ({"wait": -1, "active": 1}, "wait must be an int >= 0, got -1"),
        ({"wait": 0, "active": 0}, "active must be an int >= 1, got 0"),
    ):
        with pytest.raises(ValueError, match=match):
            schedule(**options)


def test_steps(tmp_path: Path) -> None:
    seen = []
    handler = tensorboard_trace_handler(str(tmp_path))

    def ready(profiler: profile) -> None:
        handler(profiler)
        seen.append(traces(tmp_path))

    ready.dir_name = str(tmp_path)
    config = _ExperimentalConfig(profiler_level=ProfilerLevel.Level1)
    with profile(schedule=schedule(wait=1, active=1), on_trace_ready=ready, experimental_config=config) as profiler:
        for _ in range(3):
            work()
            profiler.step()
    assert seen == [1, 1] or seen == [1, 2]  # two traces within a second have one name
    with pytest.raises(RuntimeError, match=r"profile.step: call start\(\) first"):
        profiler.step()


def test_bad_arguments() -> None:
    for call, kind, match in (
        (lambda: profile(colour=1), TypeError, "profile: unknown option 'colour'"),
        (lambda: profile(schedule=3), TypeError, "schedule must be a function, got 3"),
        (lambda: profile(on_trace_ready=3), TypeError, "on_trace_ready must be a function, got 3"),
        (lambda: profile().add_metadata("a", 1), TypeError, "key and value must be strings, got 'a': 1"),
        (lambda: profile().add_metadata_json("a", "{"), ValueError, "the value of 'a' is no JSON"),
        (lambda: tensorboard_trace_handler(3), TypeError, "dir_name must be a string, got 3"),
        (lambda: _ExperimentalConfig(profiler_level=3), TypeError, "profiler_level must be a ProfilerLevel, got 3"),
        (lambda: mstx.mark(3), TypeError, "message must be a string that is not empty, got 3"),
    ):
        with pytest.raises(kind, match=match):
            call()
