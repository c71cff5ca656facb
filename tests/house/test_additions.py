"""What an addition touches: the changes that CONTRIBUTING shows are applied to a copy of the tree, and the laws run on it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT

# How many files each kind of addition changes besides what is generated, and a test that must run on it: its file and its name.
ADDITIONS = {
    "An operator": (1, "ops/math/test_elementwise.py", "exp10"),
    "A layer": (2, "nn/test_activation.py", "Cubed"),
    "An optimizer": (2, "optim/laws/test_tables.py", "SignDescent"),
    "A dataset transformation": (2, "data/laws/test_tables.py", "every"),
    "A vision operation": (2, "data/vision/test_geometry.py", "HalfTurn"),
    "A callback": (3, "train/callbacks/test_step_limit.py", "step_limit"),
    "A checkpoint format": (2, "checkpoint/laws/test_formats.py", "jsonraw"),
    "A command": (2, "cli/commands/test_versions.py", "versions"),
    "A lowering for a device": (3, "lowering/cpu/test_is_finite.py", "is_finite"),
    "A call of torch": (1, "migrate/test_map.py", "conv_tbc"),
    "A path of MindSpore": (1, "compat/test_paths.py", "rectifiers"),
}
# The tests of the repository and of the commands, which every addition must leave as they are.
LAWS = ("house/test_stubs.py", "house/test_public_api.py", "cli/test_as_python.py", "house/test_docs.py",
        "house/test_import_effects.py", "house/test_import_layers.py", "house/test_budgets.py", "house/test_mirror.py",
        "house/test_maps.py")  # fmt: skip


def diffs() -> dict[str, str]:
    """Return the changes that CONTRIBUTING shows, by their headings."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^### ([^\n]+)\n(?:(?!^###).)*?^```diff\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


def test_every_addition_is_listed() -> None:
    assert set(diffs()) == set(ADDITIONS)


@pytest.mark.parametrize("kind", ADDITIONS)
def test_files(kind: str) -> None:
    touched = re.findall(r"^\+\+\+ b/(\S+)", diffs()[kind], re.MULTILINE)
    assert len(touched) == len(set(touched)) == ADDITIONS[kind][0]


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
    names = [name for _, _, name in ADDITIONS.values()]
    laws = ("stubs", "says_everything", "jax_is_changed", "test_layers", "test_budgets", "test_mirror", "test_maps")
    files = [f"tests/{file}" for file in (*LAWS, *(file for _, file, _ in ADDITIONS.values()))]
    options = ("-v", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", " or ".join((*names, *laws)))
    run = python("-m", "pytest", *options, *files)
    assert run.returncode == 0, run.stdout
    passed = re.findall(r"^tests/(\S*::.*) PASSED", run.stdout, re.MULTILINE)
    for kind, (_, file, name) in ADDITIONS.items():
        assert any(test.startswith(file) and name in test for test in passed), kind
