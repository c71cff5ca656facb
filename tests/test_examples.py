"""The examples, unchanged, compute the losses that real MindSpore 2.7.0 computed from the same initial weights."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from house import ROOT

GOLDENS = ROOT / "tests" / "goldens" / "examples"
NAMES = sorted(p.stem for p in GOLDENS.glob("*.npz"))


def test_there_are_six() -> None:
    """Every example has recorded losses."""
    scripts = sorted(p.stem for p in (ROOT / "examples").glob("*.py") if p.stem != "common")
    assert scripts == NAMES and len(NAMES) == 6


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("name", NAMES)
def test_first_ten_losses(name: str, mode: str, tmp_path: Path) -> None:
    """`sporax run examples/NAME.py` agrees to 1e-4 relative, in both modes."""
    losses = tmp_path / "losses.json"
    recorded = json.loads((GOLDENS / f"{name}.json").read_text())
    options = [str(GOLDENS / o) if (GOLDENS / o).is_file() else o for o in recorded["options"]]
    command = [sys.executable, "-m", "sporax", "run", str(ROOT / "examples" / f"{name}.py"), "--mode", mode, "--steps", "10",
               *options, "--weights", str(GOLDENS / f"{name}.npz"), "--losses", str(losses)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    got = json.loads(losses.read_text())[:10]
    np.testing.assert_allclose(got, recorded[mode][:10], rtol=1e-4)
