"""Tests of the benchmark's own judgement, without any framework: `pytest bench`."""

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bench.data.turns import Child, NoAnswer
from bench.driver import disagreeing, summary
from bench.protocol import Worker, WorkerError
from bench.report import markdown
from bench.specs import SPECS
from bench.variants import ROOT

BACKEND = """
import numpy as np
from bench.backend import Backend
from bench.protocol import serve
class Counting(Backend):
    def versions(self): print("noise"); return {"framework": "numpy"}
    def build(self, model, spec): return lambda i: np.float32(i)
    def build_layer(self, layer): return lambda: np.float32(layer.x[0])
    def tensor(self, array): return array
    def wait(self, result): return result
serve(Counting())
"""


@pytest.fixture
def worker(tmp_path: Path):
    """A worker whose framework is NumPy and whose loss is the number of the step."""
    env = dict(os.environ, PYTHONPATH=str(ROOT))
    worker = Worker([sys.executable, "-c", BACKEND], env=env, cwd=tmp_path, log=tmp_path / "log")
    yield worker
    worker.close()


def test_worker_answers(worker: Worker):
    assert worker.ask("versions") == {"framework": "numpy"}
    assert worker.ask("first", model="mlp")["losses"] == [0, 1, 2]
    assert worker.ask("run", steps=3)["seconds"] > 0
    assert worker.ask("layer", name="depthwise 3x3, 576 channels, 7x7", times=3)["loss"] == 8
    assert worker.ask("op", name="x + x", times=3)["seconds"] > 0
    with pytest.raises(WorkerError, match="AttributeError"):
        worker.ask("dance")


def test_who_disagrees_is_found():
    good, bad = {"losses": [2.0, 1.5], "losses_warm": [2.0, 1.5]}, {"losses": [2.0, 1.5], "losses_warm": [2.0, 1.6]}
    nan = {"losses": [2.0, float("nan")], "losses_warm": [2.0, 1.5]}
    assert list(disagreeing({"a": good, "b": good, "c": bad})) == ["c"]
    assert list(disagreeing({"a": good, "b": nan, "c": good})) == ["b"]


@pytest.mark.parametrize("model", SPECS)
def test_weights_and_batches_repeat(model: str):
    first, second = SPECS[model].weights(), SPECS[model].weights()
    assert all(np.array_equal(first[name], second[name]) and first[name].dtype == np.float32 for name in first)
    (x, y), (same_x, other_y) = SPECS[model].batches()
    assert np.array_equal(x, same_x) and not np.array_equal(y, other_y)


def test_report_says_what_falls_short():
    def row(ms: float) -> dict:
        return {**summary([ms / 1e3] * 3, 1e3), "first_cold": 1.0, "first_warm": 1.0, "memory_mib": 100.0}

    text = markdown({
        "machine": {}, "versions": {}, "ops": {}, "imports": {}, "layers": {}, "optimizers": {}, "epochs": {}, "files": {},
        "processes": {"gpt": {"one process": summary([1e-3] * 3, 1e3), "two processes": summary([2e-3] * 3, 1e3)}},
        "left_out": ["x: y"],
        "models": {"mlp": {"sporax-graph": row(2), "jax": row(1), "torch-eager": row(4)}},
    })  # fmt: skip
    assert "| **2** | 1 (2.00×) | 4 (0.50×) |" in text
    assert "- mlp: graph step against JAX by hand: 2.00 x, target 1.05 x" in text
    assert "- gpt: a step of two processes, one core each, against one's: 2.00 x, target 1.11 x" in text
    assert "0 of 2 measured targets are met." in text and "- x: y" in text


SLEEPER = """
import subprocess, sys, time
from bench.data.turns import serve

def answer(seconds):
    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])  # which holds the output open
    time.sleep(seconds)
    return {"worker": worker.pid}

serve(answer)
"""


def test_a_process_that_does_not_answer_is_replaced(tmp_path: Path):
    """Its workers end with it, as do those of a process that is told to end."""
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    child = Child(sys.executable, "sleeper", "one", str(tmp_path), limit=10)
    first = child.ask(seconds=0)["worker"]
    with pytest.raises(NoAnswer, match=r"one does not answer {'seconds': 99} within 10 s"):
        child.ask(seconds=99)
    second = child.ask(seconds=0)["worker"]
    assert _ends(first) and not _ends(second, 0)
    child.end()
    assert _ends(second)


def _ends(process: int, seconds: float = 10) -> bool:
    """Return whether a process that has been killed is gone in time; nobody may have asked how it ended."""
    deadline = time.monotonic() + seconds
    while True:
        stat = Path(f"/proc/{process}/stat")
        if not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.05)
