"""What an addition touches: the changes that CONTRIBUTING shows are applied to a copy of the tree, and the laws run on it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT

# What each kind of addition may touch besides what is generated.
FILES = {
    "An operator": 1,
    "A layer": 2,
    "An optimizer": 2,
    "A dataset transformation": 2,
    "A vision operation": 2,
    "A callback": 2,
    "A checkpoint format": 2,
    "A command": 1,
    "A lowering for a device": 2,
    "A path of MindSpore": 1,
}
LAWS = ("ops/math/test_elementwise.py", "nn/test_activation.py", "optim/laws/test_tables.py", "data/laws/test_tables.py",
        "compat/test_paths.py", "house/test_stubs.py", "house/test_public_api.py", "data/vision/test_geometry.py",
        "checkpoint/laws/test_formats.py", "cli/test_as_python.py", "house/test_docs.py", "house/test_import_effects.py",
        "house/test_import_layers.py", "house/test_budgets.py")  # fmt: skip
ADDED = ("exp10", "Cubed", "SignDescent", "every", "HalfTurn", "callbacks.step_limit", "jsonraw", "versions", "cpu.is_finite",
         "rectifiers")  # fmt: skip


def diffs() -> dict[str, str]:
    """Return the changes that CONTRIBUTING shows, by their headings."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^### ([^\n]+)\n(?:(?!^###).)*?^```diff\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("kind", FILES)
def test_files(kind: str) -> None:
    touched = re.findall(r"^\+\+\+ b/(\S+)", diffs()[kind], re.MULTILINE)
    assert len(touched) == len(set(touched)) == FILES[kind]


def test_a_path_is_one_line() -> None:
    changed = re.findall(r"^[+-](?![+-])", diffs()["A path of MindSpore"], re.MULTILINE)
    assert changed == ["+"]


def test_additions_satisfy_the_laws(tmp_path: Path) -> None:
    """With the generated files made anew, all that there is to do is done: stubs, facades, laws and layout agree."""
    for part in ("sporax", "tests", "tools", "docs"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / file, tmp_path / file)
    for change in diffs().values():
        subprocess.run(["git", "apply", "-"], input=change, text=True, cwd=tmp_path, check=True)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTEST_ADDOPTS": ""}
    environment.pop("PYTEST_XDIST_WORKER", None)

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    made = python("tools/stubs.py")
    assert set(made.stdout.split()) == {
        "sporax/_src/core/tensor_methods.pyi",
        "sporax/_src/data/dataset_methods.pyi",
        "sporax/_src/api/ops.pyi",
    }, made.stderr
    chosen = " or ".join((*ADDED, "stubs", "says_everything", "jax_is_changed", "test_layers", "test_budgets"))
    run = python(
        "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", chosen, *(f"tests/{f}" for f in LAWS)
    )
    assert run.returncode == 0, run.stdout
    assert [name for name in ADDED if not re.search(rf"\[[^]]*{name}.* PASSED", run.stdout)] == []
