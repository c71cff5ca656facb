"""The measurements of a profiler."""

import time
from pathlib import Path

import jax
import numpy as np

import sporax as ms
from sporax import Tensor, ops
from sporax._src.base.stopwatch import COMPILING, stopwatch
from sporax._src.engine.dispatch import debugging
from sporax._src.transform.debug.profile_findings import Findings, _key
from sporax._src.transform.graph.provenance import Source
from sporax.profiler import profile, schedule


def test_rows_are_named_by_operator_and_gradient() -> None:
    assert _key(Source("Net", "ops.relu", "train.py:3")) == ("ops.relu", "train.py:3")
    assert _key(Source("Net", "ops.relu", "", ("jvp", "transpose"))) == ("gradient of ops.relu", "")
    assert _key(Source()) == ("(unnamed)", "")


def test_operators_and_compilation_are_measured() -> None:
    findings = Findings()
    for _ in range(2):
        findings.start()
        ops.exp(Tensor([1.0]))
        jax.jit(lambda x: x * 3.25 + 17)(np.float32(2)).block_until_ready()
        findings.stop()
    report = findings.report()
    assert [(row.operator, row.calls) for row in report.operators] == [("ops.exp", 2)]
    assert report.times["compiling"] > 0 and report.wall >= report.times["compiling"]
    assert not stopwatch.is_running and debugging.check is None
    before = stopwatch.seconds[COMPILING]
    jax.jit(lambda x: x * 3.5 + 18)(np.float32(2))
    assert stopwatch.seconds[COMPILING] == before


def test_graphs_are_read_from_the_newest_trace(tmp_path: Path) -> None:
    graph, x = ms.jit(lambda x: ops.sort(x)[0], fullgraph=True), Tensor(np.ones((64, 64), np.float32))
    graph(x).asnumpy()
    findings = Findings()
    findings.start()
    with jax.profiler.trace(str(tmp_path)):
        for _ in range(3):
            graph(x).asnumpy()
    findings.stop()
    findings.read(tmp_path)
    (row,) = [row for row in findings.report().operators if row.operator == "ops.sort"]
    assert row.calls == 3 and Path(__file__).name in row.line and row.seconds > 0


def test_waiting_for_data(tmp_path: Path) -> None:
    def slow():
        for _ in range(4):
            time.sleep(0.05)
            yield (np.float32(1.0),)

    with profile(output_path=str(tmp_path)) as profiler:
        for _ in ms.dataset.GeneratorDataset(slow, ["x"]).create_tuple_iterator(num_epochs=1):
            pass
    assert 0.2 <= profiler.report.times["waiting for data"] <= profiler.report.wall


def test_stretches_add_up(tmp_path: Path) -> None:
    with profile(schedule=schedule(wait=0, active=1), output_path=str(tmp_path)) as profiler:
        for _ in range(3):
            ops.sin(Tensor([1.0])).asnumpy()
            profiler.step()
    assert [(row.operator, row.calls) for row in profiler.report.operators] == [("ops.sin", 3)]
