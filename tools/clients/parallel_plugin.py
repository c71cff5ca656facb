"""What pytest loads for `tools/parallel_tests.py`: each outcome is a line of PARALLEL_TESTS_OUT, as JSON, when it is known.

MindSpore runs these tests in a build that compiles graphs and runs none: here a graph that is called gives zeros, and leaves its
Parameters as they are. The processes that a test speaks of (`device_num`) are there in name: collective operations know their
number, and batches of Models are those of all. `tests.vm_impl`, kernels in NumPy for a virtual machine that MindSpore once had, is
an empty module.
PARALLEL_TESTS_LEFT_OUT lists the tests that are not run, by file and name.
"""

from __future__ import annotations

import json
import os
import sys
import types
from pathlib import Path

import jax.numpy as jnp
import pytest

from sporax._src.core.tensor import Tensor, wrap
from sporax._src.dist import checks, exchange, group, messages
from sporax._src.processes import world as worlds
from sporax._src.processes.parallel_context import cutting, get_auto_parallel_context
from sporax._src.train import joined_batch as batches
from sporax._src.train import model
from sporax._src.transform import capture
from sporax._src.transform.capture import Graph

OUT = Path(os.environ["PARALLEL_TESTS_OUT"])
LEFT_OUT = {tuple(test) for test in json.loads(os.environ["PARALLEL_TESTS_LEFT_OUT"])}

for name in ("tests.vm_impl", "tests.vm_impl.vm"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["tests.vm_impl"].vm = sys.modules["tests.vm_impl.vm"]  # type: ignore[attr-defined]


def zeros(graph: Graph, arrays: object) -> list[object]:
    """Return zeros for what a graph returns."""
    return [jnp.zeros(aval.shape, aval.dtype) for aval in graph.jaxpr.out_avals]


def world_in_name() -> worlds.World:
    """Return a run of as many processes as the settings say."""
    size = max(get_auto_parallel_context("device_num"), 1)
    return worlds.World("", min(get_auto_parallel_context("global_rank"), size - 1), size)


def whole_batch(row: list[object]) -> list[object]:
    """Return a row with the batches of all processes, of which there is that of one."""
    how = cutting()
    if how is None or how.dataset == "full_batch":
        return row
    tensors = [t for t in row if isinstance(t, Tensor)]
    wholes = [batches.whole_batch(i, t, how) for i, t in enumerate(tensors)]
    rest = iter([wrap(jnp.zeros(whole.shape, whole.dtype)) for whole in wholes])
    return [next(rest) if isinstance(t, Tensor) else t for t in row]


Graph._stepped = zeros  # type: ignore[method-assign]
for module in (checks, exchange, group, messages):
    vars(module).update(world=world_in_name)
group.is_one_of_many = lambda: True
exchange._groups = exchange._groups.__wrapped__  # it keeps what it found for one number of processes
capture.axes = lambda: [(worlds.AXIS, world_in_name().size)] if world_in_name().size > 1 else []
model.joined_batch = whole_batch


def write(**line: object) -> None:
    """Write a line."""
    with OUT.open("a") as lines:
        lines.write(json.dumps(line) + "\n")


def reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    """Return the last error of a report, in a line."""
    if report.passed or report.skipped:
        return ""
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = str(crash.message if crash else report.longrepr).strip().splitlines()
    return lines[0] if crash else lines[-1].removeprefix("E").strip()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out the tests that are left out."""
    out = [item for item in items if (item.path.name, getattr(item, "originalname", item.name)) in LEFT_OUT]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Write why a file is not collected."""
    if report.failed:
        write(file=Path(report.nodeid).name, test="", outcome="failed", reason=reason(report))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write what became of a test."""
    if report.when == "call" or not report.passed:
        path, _, test = report.nodeid.partition("::")
        write(file=Path(path).name, test=test, outcome=report.outcome, reason=reason(report), when=report.when)
