"""Times of the operations of graphs, read from the traces of JAX's profiler."""

from pathlib import Path

import pytest

from sporax._src.transform.debug.known_lines import KnownLines
from sporax._src.transform.debug.trace_file import Operation, _union, read
from sporax._src.transform.debug.trace_messages import CLASSES
from sporax._src.transform.graph.provenance import Source

HERE = "/home/user/train.py"


def _program():
    """Return the copy of a program of two operations in a trace."""
    hlo = CLASSES["Hlo"]()
    module = hlo.module
    body = module.computations.add()
    tanh = body.instructions.add(name="tanh.1")
    tanh.metadata.op_name = "jit(run)/jit(main)/Net/fc/ops.tanh/tanh"
    tanh.metadata.frame = 1
    back = body.instructions.add(name="mul.2")
    back.metadata.op_name = "jit(run)/transpose(jvp(Net))/ops.tanh/mul"
    back.metadata.file, back.metadata.line = HERE, 8
    module.frames.files.append(HERE)
    module.frames.locations.add(file=1, line=7)
    module.frames.frames.add(location=1)
    return hlo


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Write a trace of two runs of a graph, and of another program at the same time."""
    space = CLASSES["Space"]()
    copies = space.planes.add(name="/host:metadata")
    event = copies.events.add(key=1).value
    event.name = "jit_run(17)"
    event.stats.add(id=1).bytes = _program().SerializeToString()
    host = space.planes.add(name="/host:CPU")
    for number, name in enumerate(("hlo_op", "hlo_module", "program_id", "run_id"), 1):
        host.stats.add(key=number).value.name = name
    line = host.lines.add(name="thread", began_ns=1)
    for begin, end, module, op, run in (
        (0, 10, "jit_run", "tanh.1", 1), (20, 25, "jit_run", "mul.2", 1), (30, 40, "jit_run", "tanh.1", 2),
        (35, 60, "jit_other", "dot", 1), (70, 71, "jit_run", "copy.3", 2),
    ):  # fmt: skip
        moment = line.events.add(id=9, offset_ps=begin * 1000, duration_ps=(end - begin) * 1000)
        moment.stats.add(id=1).str = op
        moment.stats.add(id=2).str = module
        moment.stats.add(id=3).uint = 17
        moment.stats.add(id=4).uint = run
    (tmp_path / "a.xplane.pb").write_bytes(space.SerializeToString())
    return tmp_path / "a.xplane.pb"


def test_operations_and_the_time_in_which_one_ran(trace: Path) -> None:
    found = read(trace, "jit_run")
    assert found.busy == pytest.approx(46e-9)
    assert {o.source: (o.program, round(o.seconds * 1e9), o.runs) for o in found.operations} == {
        Source("Net.fc", "ops.tanh", f"{HERE}:7"): (17, 20, 2),
        Source("Net", "ops.tanh", f"{HERE}:8", ("transpose",)): (17, 5, 1),
        Source(op="copy.3"): (17, 1, 1),
    }


def test_only_the_graphs_of_a_name(trace: Path) -> None:
    found = read(trace, "jit_other")
    assert found.operations == [Operation(17, Source(op="dot"), pytest.approx(25e-9), 1)]


def test_outdated_lines_are_left_out(trace: Path) -> None:
    """No graph of this process has these lines."""
    found = read(trace, "jit_run", KnownLines([]))
    assert {o.source.line for o in found.operations} == {""}


@pytest.mark.parametrize("spans, length", [([], 0), ([(0, 3), (1, 2), (5, 6)], 4), ([(4, 6), (0, 5)], 6)])
def test_the_union_of_spans(spans: list[tuple[int, int]], length: int) -> None:
    assert _union(spans) == length
