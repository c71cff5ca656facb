"""The harness for MindSpore's tests of parallel training: how it reads tests, and a run of a checkout made here."""

import importlib.util
import json
import subprocess
import sys

from house import ROOT

SCRIPT = ROOT / "tools" / "parallel_tests.py"
SPEC = importlib.util.spec_from_file_location("parallel_tests_tool", SCRIPT)
tool = sys.modules["parallel_tests_tool"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)

TESTS = """
import numpy as np
import pytest
import mindspore as ms
from mindspore import nn
from mindspore.common.api import _cell_graph_executor
from tests.vm_impl.vm import *

class Net(nn.Cell):
    def construct(self, x):
        return x @ x

def compile_net(shape):
    _cell_graph_executor.compile(Net(), ms.Tensor(np.ones(shape)))

def test_compiles():
    compile_net((2, 2))

def test_runs_nothing():
    ms.set_context(mode=0)
    assert (Net()(ms.Tensor(np.ones((2, 2)))).asnumpy() == 0).all()

def test_raises():
    with pytest.raises(ValueError):
        compile_net((2, 3))

def test_does_not_raise():
    with pytest.raises(RuntimeError):
        compile_net((2, 2))

def test_looks():
    _cell_graph_executor._get_shard_strategy(Net())
"""


def test_what_a_test_uses_says_what_it_is_for():
    found = tool.kinds(
        "class A:\n  def f(self): ParallelValidator()\ndef test_a(): A()\ndef test_b(): pass\nclass C: pass"
    )
    assert found == {"test_a": tool.LOOKS, "test_b": tool.COMPILES}


def test_a_checkout_is_run(tmp_path):
    folder = tmp_path / tool.FOLDER
    folder.mkdir(parents=True)
    (folder / "test_own.py").write_text(TESTS)
    (folder / "test_own_broken.py").write_text("import mindspore.nowhere\ndef test_it(): pass\n")
    out = tmp_path / "out.json"
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path, "--only", "own", "--together", "2", "--out", out],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(out.read_text())
    assert {name.partition("::")[2]: result["outcome"] for name, result in results.items()} == {
        "test_compiles": "passed",
        "test_runs_nothing": "passed",
        "test_raises": "passed",
        "test_does_not_raise": "failed",
        "test_looks": "left out",
        "test_it": "failed",
    }
    found = tool.totals(results)
    assert found[tool.RAISES] == {
        "failed": 1,
        "passed": 1,
        "reasons": {"Failed: DID NOT RAISE RuntimeError": 1},
        "classes": {"MindSpore refuses a strategy that sporax runs": 1},
    }
    assert "No module named 'mindspore.nowhere'" in next(iter(found[tool.COMPILES]["reasons"]))


def test_the_page_has_the_last_results():
    page, found = (
        (ROOT / "docs" / "conformance.md").read_text(),
        json.loads((ROOT / "tools" / "results" / "parallel_tests.json").read_text()),
    )
    for kind, name in ((tool.COMPILES, "only compile"), (tool.RAISES, "expect an error")):
        passed, failed = found[kind]["passed"], found[kind]["failed"]
        assert f"| {name} | {passed} of {passed + failed} ({passed / (passed + failed):.1%}".replace("%", " %") in page
    compiles, raises = (found[kind]["classes"] for kind in (tool.COMPILES, tool.RAISES))
    for name in compiles.keys() | raises.keys():
        assert f"| {name} | {compiles.get(name, '')} | {raises.get(name, '')} |" in page
