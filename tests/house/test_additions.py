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
    "A layer": (4, "nn/test_activation.py", "Cubed"),
    "An optimizer": (3, "optim/laws/test_tables.py", "SignDescent"),
    "A dataset transformation": (2, "data/laws/test_tables.py", "every"),
    "A vision operation": (2, "data/vision/test_geometry.py", "HalfTurn"),
    "A callback": (3, "train/callbacks/test_step_limit.py", "step_limit"),
    "A checkpoint format": (2, "checkpoint/laws/test_formats.py", "jsonraw"),
    "A command": (2, "cli/commands/test_versions.py", "versions"),
    "A lowering for a device": (3, "lowering/cpu/test_is_finite.py", "is_finite"),
    "A call of torch": (1, "migrate/test_map.py", "conv_tbc"),
    "A path of MindSpore": (1, "compat/test_paths.py", "rectifiers"),
}
# The tests of the whole tree that must run on it, all additions together: their files, and a part of their names.
LAWS = {
    "house/test_stubs.py": "stubs",
    "house/test_public_api.py": "says_everything",
    "house/test_api_page.py": "page_is_current",
    "house/test_golden_names.py": "has_goldens",
    "house/test_docs.py": "have_a_docstring",
    "house/test_import_effects.py": "jax_is_changed",
    "house/test_import_layers.py": "test_modules_import",
    "house/test_budgets.py": "test_budgets",
    "house/test_mirror.py": "test_mirror",
    "house/test_maps.py": "test_maps",
    "cli/test_as_python.py": "names_of_commands",
    "nn/laws/test_tables.py": "every_",
    "recorded/test_table_calls.py": "exported_calls",
}
# The commands that write the generated files, and what these additions change of them.
GENERATED = {
    "tools/stubs.py": {
        "sporax/_src/core/tensor_methods.pyi",
        "sporax/_src/data/dataset_methods.pyi",
        "sporax/_src/api/dataset.pyi",
        "sporax/_src/api/ops.pyi",
        "sporax/_src/data/vision/__init__.pyi",
        "sporax/_src/nn/layers.pyi",
        "sporax/_src/optim/__init__.pyi",
    },
    "tools/export_table_calls.py": {"tests/goldens/table_calls.json"},
    "tools/api_page.py": {"docs/api.md"},
}


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


def test_the_text_names_the_commands() -> None:
    """The section on operators writes all generated files."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### An operator")[2].partition("###")[0]
    assert " && ".join(f"python {tool}" for tool in GENERATED) in section


def test_a_path_is_one_line() -> None:
    changed = re.findall(r"^[+-](?![+-])", diffs()["A path of MindSpore"], re.MULTILINE)
    assert changed == ["+"]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of the copy that a command may write, by their names."""
    kinds = (".pyi", ".json", ".md")
    files = (file for file in folder.rglob("*") if file.suffix in kinds)
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


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

    for tool, files in GENERATED.items():
        before = contents(tmp_path)
        made = python(tool)
        assert made.returncode == 0, made.stderr
        assert {name for name, content in contents(tmp_path).items() if before.get(name) != content} == files
    wanted = [(file, name) for _, file, name in ADDITIONS.values()] + list(LAWS.items())
    options = ("-v", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", " or ".join(dict.fromkeys(n for _, n in wanted)))
    run = python("-m", "pytest", *options, *dict.fromkeys(f"tests/{file}" for file, _ in wanted))
    assert run.returncode == 0, run.stdout
    passed = re.findall(r"^tests/(\S*::.*) PASSED", run.stdout, re.MULTILINE)
    assert [(f, name) for f, name in wanted if not any(test.startswith(f) and name in test for test in passed)] == []
