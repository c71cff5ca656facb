"""`sporax run --torch`: programs for PyTorch, unmodified, in processes of their own."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAMS = Path(__file__).parent / "programs"
LAYERS = """
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((2,), 3.0))

    def forward(self, x):
        return x * self.scale
"""
NET = """
from .layers import Scale


class Twice(Scale):
    def forward(self, x):
        return 2 * super().forward(x)
"""
WORK = """
import torch
from pkg.net import Twice


def work(n):
    return Twice()(torch.ones(2) * n).sum().item()
"""
MAIN = """
import inspect
import json
import multiprocessing
import sys

import torch

from .work import work

double = lambda x: torch.add(x, x)


def name(_):
    return __name__, double(torch.ones(1)).item()


def broken(x):
    total = x + 1
    return torch.jit.load(total)


if __name__ == "__main__":
    pool = multiprocessing.get_context("spawn").Pool(1)
    found = {"argv": sys.argv[1:], "file": __file__, "torch": "torch" in sys.modules, "version": torch.__version__}
    found |= {"here": work(2), "there": pool.map(work, [2])[0], "mine": pool.map(name, [0])[0]}
    found["source"] = inspect.getsource(broken)
    pool.close()
    print(json.dumps(found))
    broken(double(torch.ones(2)))
"""
PACKAGE = {"__init__.py": "", "layers.py": LAYERS, "net.py": NET, "work.py": WORK, "main.py": MAIN}


def sporax(*args: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "sporax", "run", *args], capture_output=True, text=True, cwd=cwd)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in PROGRAMS.glob("*.py")))
def test_a_training_has_the_losses_of_torch(name, tmp_path, monkeypatch) -> None:
    script = str(PROGRAMS / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [script, "--save", f"{tmp_path}/weights.npz", "--losses", f"{tmp_path}/torch.txt"])
    runpy.run_path(script, run_name="__main__")
    done = sporax("--torch", script, "--weights", "weights.npz", "--losses", "ours.txt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = np.loadtxt(tmp_path / "torch.txt")
    assert len(expected) >= 20
    np.testing.assert_allclose(np.loadtxt(tmp_path / "ours.txt"), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_a_module_of_a_package_runs_as_python_runs_it(tmp_path) -> None:
    for name, text in PACKAGE.items():
        (tmp_path / "pkg").mkdir(exist_ok=True)
        (tmp_path / "pkg" / name).write_text(text)
    done = sporax("--torch", "--report", "-m", "pkg.main", "-x", "1", cwd=tmp_path)
    found = json.loads(done.stdout)
    lines = MAIN.splitlines()
    first = lines.index("def broken(x):")
    assert found == {
        "argv": ["-x", "1"],
        "file": str(tmp_path / "pkg" / "main.py"),
        "torch": False,
        "version": "2.7.0",
        "here": 24.0,
        "there": 24.0,
        "mine": ["__mp_main__", 2.0],
        "source": "\n".join(lines[first : first + 3]) + "\n",
    }, done.stderr
    assert (
        f'File "{tmp_path}/pkg/main.py", line {first + 3}, in broken\n    return torch.jit.load(total)\n' in done.stderr
    )
    assert "NotConverted: torch.jit.load: load a MINDIR file with mindspore.load" in done.stderr
    assert f"{tmp_path}/pkg/main.py:{first + 3}: not converted: torch.jit.load: load a MINDIR file" in done.stderr
    assert done.stderr.splitlines()[-1].endswith("1 use of torch in them was not converted.")


def test_texts_run_too(tmp_path) -> None:
    code = "import torch\nprint(torch.cat([torch.ones(1), torch.zeros(1)]).tolist())\n"
    assert sporax("--torch", "-c", code, cwd=tmp_path).stdout == "[1.0, 0.0]\n"
