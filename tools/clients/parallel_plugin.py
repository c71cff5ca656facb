"""What pytest loads for `tools/parallel_tests.py`: each outcome is a line of PARALLEL_TESTS_OUT, as JSON, when it is known.

MindSpore runs these tests in a build that compiles graphs and runs none: here a graph that is called gives zeros, and leaves its
Parameters as they are. `tests.vm_impl`, kernels in NumPy for a virtual machine that MindSpore once had, is an empty module.
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

from sporax._src.transform.capture import Graph

OUT = Path(os.environ["PARALLEL_TESTS_OUT"])
LEFT_OUT = {tuple(test) for test in json.loads(os.environ["PARALLEL_TESTS_LEFT_OUT"])}

for name in ("tests.vm_impl", "tests.vm_impl.vm"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["tests.vm_impl"].vm = sys.modules["tests.vm_impl.vm"]  # type: ignore[attr-defined]


def zeros(graph: Graph, arrays: object) -> list[object]:
    """Return zeros for what a graph returns."""
    return [jnp.zeros(aval.shape, aval.dtype) for aval in graph.jaxpr.out_avals]


Graph._stepped = zeros  # type: ignore[method-assign]


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
