"""What is written for readers is true: docstrings exist, their examples run, the commands of the README are tested.

Examples in docstrings may use `ms`, `nn`, `ops`, `np`, `Tensor` and `Parameter` without importing them.
"""

import doctest
import importlib
import inspect
import re
import runpy
import warnings

import numpy as np
import pytest
from house import ROOT, modules

import sporax as ms

FACADES = sorted(m.name for m in modules().values() if m.is_facade)
WITH_EXAMPLES = sorted(n for n, m in modules().items() if any(line.lstrip().startswith(">>>") for line in m.lines))
USUAL_NAMES = {"ms": ms, "nn": ms.nn, "ops": ms.ops, "np": np, "Tensor": ms.Tensor, "Parameter": ms.Parameter}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def is_ours(item: object) -> bool:
    return callable(item) and str(getattr(item, "__module__", "")).startswith("sporax.")


def test_public_names_have_a_docstring():
    silent = {
        f"{item.__module__}.{name}"
        for facade in map(importlib.import_module, FACADES)
        for name in facade.__all__
        if is_ours(item := getattr(facade, name)) and not own_doc(item)
    }
    assert silent == set(), "\n".join(sorted(silent))


def own_doc(item: object) -> str:
    """Return the docstring that is written on the item itself, not on a base class."""
    own = vars(item).get("__doc__") if inspect.isclass(item) else item.__doc__
    return (own or "").strip()


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = doctest.testmod(module, globs=USUAL_NAMES | vars(module), optionflags=FLAGS)
    assert result.failed == 0


def commands(text: str) -> set[str]:
    """Return the single commands of the shell blocks of a Markdown text."""
    blocks = re.findall(r"```(?:sh|bash|console)\n(.*?)```", text, re.DOTALL)
    lines = [line.split("#")[0] for block in blocks for line in block.splitlines()]
    return {part.strip() for line in lines for part in line.split("&&") if part.strip()}


def test_first_commands_of_the_readme_are_what_ci_runs():
    first = {"pip install .", "sporax demo", "pip install -e '.[test]'", "pytest"}
    ci = (ROOT / ".ci" / "run").read_text()
    assert first <= commands((ROOT / "README.md").read_text())
    assert [c for c in sorted(first) if not re.search(rf"(^|\W){re.escape(c)}( |$|\))", ci, re.MULTILINE)] == []


def test_python_blocks_of_the_readme_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        script = tmp_path / "readme.py"
        script.write_text(block)
        runpy.run_path(str(script), run_name="__main__")


def test_texts_name_files_that_exist():
    """Paths in backquotes in the guides are files of the repository."""
    missing = []
    for guide in ("README.md", "CONTRIBUTING.md", "docs/design.md"):
        for path in re.findall(r"`((?:sporax|tests|tools|docs|bench|\.ci)/[\w/.]+)`", (ROOT / guide).read_text()):
            if not (ROOT / path).exists():
                missing.append(f"{guide}: {path}")
    assert missing == [], "\n".join(missing)
