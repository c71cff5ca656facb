"""The program's current lines of the operators of graphs, of which a graph from the compile cache may carry older ones."""

import os
import subprocess
import sys
from pathlib import Path

import sporax as ms
from sporax import Tensor, ops
from sporax._src.transform.debug.known_lines import KnownLines
from sporax._src.transform.graph.provenance import Source


def sorted_twice(x: Tensor) -> Tensor:
    x = ops.tanh(x)
    x = ops.sort(x)[0]
    return ops.sort(x + 1)[0]


FIRST = sorted_twice.__code__.co_firstlineno


def known() -> KnownLines:
    """Return the lines of a graph of `sorted_twice`."""
    return KnownLines([ms.jit(sorted_twice, fullgraph=True).trace(Tensor([1.0, 2.0]))])


def line(number: int) -> str:
    return f"{__file__}:{FIRST + number}"


def test_current_lines_stay() -> None:
    sources = {"a": Source("", "ops.tanh", line(1)), "b": Source("", "ops.sort", line(3)), "c": Source("", "ops.sort")}
    assert known().checked(sources) == sources


def test_older_lines_are_replaced_where_there_is_one() -> None:
    sources = {
        "a": Source("", "ops.tanh", "old.py:9"),
        "b": Source("", "ops.sort", line(2)),
        "c": Source("", "ops.exp", "x:1"),
    }
    found = known().checked(sources)
    assert [found[name].line for name in "abc"] == [line(1), "", ""]
    assert found["a"].op == "ops.tanh"


CACHED = """\
import sys
import sporax as ms
from sporax import ops

@ms.jit
def run(x):
    x = ops.tanh(x @ x)
    x = ops.sort(x)[0]
    return ops.sort(x + 1)[0]

x = ms.ops.ones((300, 300))
with ms.profiler.profile(output_path=sys.argv[1]) as profiler:
    run(x).asnumpy()
for row in profiler.report.operators:
    print(row.operator, row.line)
"""


def test_lines_are_those_of_the_program_that_runs(tmp_path: Path) -> None:
    """Also of a graph that the compile cache has of another file; an operator that is called at several lines has none then."""

    def lines(name: str, text: str) -> dict[str, set[str]]:
        (tmp_path / name).write_text(text)
        command = [sys.executable, name, str(tmp_path / "traces")]
        env = os.environ | {"SPORAX_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        found: dict[str, set[str]] = {}
        for line in done.stdout.splitlines():
            operator, _, place = line.partition(" ")
            found.setdefault(operator, set()).add(place)
        return found

    first = lines("first.py", CACHED)
    assert first["ops.tanh"] == {"first.py:7"} and first["ops.sort"] == {"first.py:8", "first.py:9"}
    assert lines("first.py", CACHED) == first
    moved = lines("second.py", f"# a line more\n{CACHED}")
    assert moved["ops.tanh"] == {"second.py:8"} and moved["ops.sort"] == {""}
