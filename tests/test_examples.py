"""The examples run. Those for MindSpore compute the losses that MindSpore 2.7.0 computed from the same initial weights."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from house import ROOT

sys.path.append(str(ROOT / "tools"))  # after tests/support, which has modules of the same names
from site_pages.notebook import notebook

GOLDENS = ROOT / "tests" / "goldens" / "examples"
NAMES = sorted(p.stem for p in GOLDENS.glob("*.npz"))


OTHERS = {  # a short run of each example in sporax's own style, and what it prints at the end
    "digits": (["--epochs", "2"], "of 360 new digits are right; weights: digits.ckpt"),
    "fine_tune": ([], "frozen weights unchanged: True"),
    "half_precision": (["--steps", "3", "--width", "8"], "Float16"),
    "resume": (["--epochs", "2", "--rows", "256"], "the weights are"),
    "sentiment": (["--epochs", "1", "the film was not bad"], "the film was not bad: "),
    "serve": ([], " 0.90 · -0.90 = -0."),
    "several_devices": ([], "1 device: mean error 0.0"),
    "spirals": (["--steps", "5"], "of the points are right"),
}


def test_every_example_is_run() -> None:
    scripts = sorted(p.stem for p in (ROOT / "examples").glob("*.py") if p.stem != "common")
    assert scripts == sorted([*NAMES, *OTHERS]) and (len(NAMES), len(OTHERS)) == (6, 8)


@pytest.mark.parametrize("name", OTHERS)
def test_an_example_ends_in_something_to_look_at(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options, end = OTHERS[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *options])
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    assert end in capsys.readouterr().out


@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_an_example_says_how_to_start_it(name: str) -> None:
    text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    assert f"    python {name}.py" in text or f"`{name}.py`" in (ROOT / "examples" / "README.md").read_text(
        encoding="utf-8"
    )


def test_an_example_in_the_style_of_mindspore_runs_by_python(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "mlp.py"), "--steps", "2"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600, check=True)
    assert "after 2 steps" in done.stdout


@pytest.mark.parametrize("name", ["first_network", "own_loop"])
def test_a_notebook_is_its_tutorial(name: str) -> None:
    """`python tools/build_site.py --notebooks` writes them; tests/docs runs the code of the tutorials."""
    page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    assert json.loads((ROOT / "examples" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")) == notebook(page)


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
