"""The profiler: traces of JAX's in the folder that is named, when a schedule says so."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.base.stopwatch import stopwatch
from sporax._src.engine.dispatch import debugging
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
    assert (tmp_path / "report.txt").read_text() == f"{profiler.report}\n"


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
        (lambda: profile().report, RuntimeError, r"profile.report: nothing is recorded yet; call stop\(\) first"),
        (lambda: mstx.mark(3), TypeError, "message must be a string that is not empty, got 3"),
    ):
        with pytest.raises(kind, match=match):
            call()


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(64, 32)

    def construct(self, x):
        x = self.dense(x)
        return ops.tanh(x)


LINES = {text: number for number, text in enumerate(Path(__file__).read_text().splitlines(), 1)}


def rows_of(profiler: profile, operator: str) -> dict[int, int]:
    """Return how often an operator was called at each line of this file."""
    found = [row for row in profiler.report.operators if row.operator == operator and Path(__file__).name in row.line]
    return {int(row.line.rpartition(":")[2]): row.calls for row in found}


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_report_of_training(mode: int, tmp_path: Path) -> None:
    """Operators and their gradients have the lines of the program that called them, in both modes."""
    ms.set_context(mode=mode)
    net = Net()
    data = ms.dataset.NumpySlicesDataset((np.ones((24, 64), np.float32), np.ones((24, 32), np.float32)), shuffle=False)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path))) as profiler:
        model.train(2, data.batch(8))
    dense, tanh = LINES["        x = self.dense(x)"], LINES["        return ops.tanh(x)"]
    assert rows_of(profiler, "ops.dense") == {dense: 6}
    assert rows_of(profiler, "gradient of ops.dense") == {dense: 6}
    assert set(rows_of(profiler, "ops.tanh")) | set(rows_of(profiler, "gradient of ops.tanh")) == {tanh}
    report = profiler.report
    assert [*report.times] == ["waiting for data", "tracing", "compiling", "computing", "everything else"]
    assert all(seconds > 0 for kind, seconds in report.times.items() if kind != "everything else")
    assert sum(row.share for row in report.operators) == pytest.approx(1.0)
    assert report.operators == tuple(sorted(report.operators, key=lambda row: -row.seconds))
    assert report.memory["arrays hold"] >= 4 * 64 * 32 and report.memory["most in the process"] > 1e7


def test_report_of_many_operators_is_shown_in_part(tmp_path: Path) -> None:
    with profile(output_path=str(tmp_path)) as profiler:
        names = "abs ceil cos cosh erf exp floor neg relu round rsqrt sigmoid sign sin sinh sqrt square tan tanh log log1p expm1"
        for name in names.split():
            getattr(ops, name)(Tensor([1.0]))
    report = profiler.report
    assert len(report.operators) == 22
    assert report._repr_html_().count("<tr>") == 21 and "2 further operators took" in report._repr_html_()
    text = str(report)
    assert "2 further operators took" in text and "ops.sin" in " ".join(row.operator for row in report.operators)
    assert "waiting for data" in text and "Memory: arrays hold" in text


def test_a_program_that_is_being_debugged_is_left_alone(tmp_path: Path) -> None:
    ms.set_context(debug_nans=True)
    try:
        with profile(output_path=str(tmp_path)) as profiler:
            with pytest.raises(FloatingPointError):
                ops.log(Tensor([-1.0]))
    finally:
        ms.set_context(debug_nans=False)
    assert profiler.report.operators == ()


def test_nothing_is_measured_afterwards(tmp_path: Path) -> None:
    with profile(output_path=str(tmp_path)):
        work()
    assert debugging.check is None and not stopwatch.is_running


def test_calls_of_python_are_traced_if_asked_for(tmp_path: Path) -> None:
    sizes = []
    for with_stack in (False, True):
        with profile(output_path=str(tmp_path / str(with_stack)), with_stack=with_stack):
            work()
        (trace,) = (tmp_path / str(with_stack)).rglob("*.xplane.pb")
        sizes.append(b"$test_profiler.py" in trace.read_bytes())
    assert sizes == [False, True]
