"""What is written for readers is true: docstrings exist, their examples run, the commands of the README are tested.

Examples in docstrings may use `ms`, `nn`, `ops`, `mint`, `np`, `Tensor` and `Parameter` without importing them.
"""

import doctest
import importlib
import inspect
import re
import subprocess
import sys
import warnings
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from house import ROOT, modules

import sporax as ms
from sporax._src.api.mint.functional import FUNCTIONAL
from sporax._src.api.mint.linalg import LINALG
from sporax._src.api.mint.namespace import MINT
from sporax._src.base.public_names import defined_in
from sporax._src.bindings.tensor_methods import METHODS
from sporax._src.engine.table import TABLE

FACADES = sorted(m.name for m in modules().values() if m.is_facade)
WITH_EXAMPLES = sorted(n for n, m in modules().items() if any(line.lstrip().startswith(">>>") for line in m.lines))
USUAL_NAMES = {
    "ms": ms, "nn": ms.nn, "ops": ms.ops, "mint": ms.mint, "np": np, "Tensor": ms.Tensor, "Parameter": ms.Parameter
}  # fmt: skip
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def is_ours(item: object) -> bool:
    return callable(item) and str(getattr(item, "__module__", "")).partition(".")[0] == "sporax"


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
    own = item.__doc__ if not inspect.isclass(item) or "__doc__" in vars(item) else ""
    return (own or "").strip()


ROWS = {row.name: row.public for row in TABLE.values() if row.primitive or not row.name.startswith("_")}


def test_rows_say_what_they_take():
    silent = [n for n, fn in ROWS.items() if inspect.signature(fn).parameters and "\nArgs:\n" not in inspect.getdoc(fn)]
    assert silent == [], "\n".join(sorted(silent))


def test_rows_name_each_argument():
    """A line of `Args` may name several: `input, other: Tensors`."""
    missing = {n: left for n, fn in ROWS.items() if (left := unnamed(fn))}
    assert missing == {}, "\n".join(f"{name}: {', '.join(left)}" for name, left in sorted(missing.items()))


def unnamed(fn: object) -> list[str]:
    """Return the parameters that the section `Args` of a docstring leaves out."""
    return [name for name in inspect.signature(fn).parameters if name not in named(fn)]


def named(fn: object) -> set[str]:
    """Return the parameters that the section `Args` of a docstring names."""
    section = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", inspect.getdoc(fn), re.DOTALL | re.MULTILINE)
    lines = re.findall(r"^ {4}(\S.*?):(?: |$)", section[1] if section else "", re.MULTILINE)
    return {name.strip(" *`") for line in lines for name in line.split(",")}


def test_rows_show_an_example():
    silent = [name for name, fn in ROWS.items() if ">>> " not in inspect.getdoc(fn)]
    assert silent == [], "\n".join(sorted(silent))


def test_views_show_the_text_of_their_row():
    pairs = [
        (ms.ops.ReLU, ms.ops.relu), (ms.ops.concat, ms.ops.cat), (ms.Tensor.add, ms.ops.add), (ms.Tensor.exp, ms.ops.exp),
        (ms.Tensor.real, ms.ops.real), (ms.mint.sin, ms.ops.sin), (ms.mint.nn.functional.gelu, ms.ops.gelu),
    ]  # fmt: skip
    assert [view for view, row in pairs if inspect.getdoc(view) != inspect.getdoc(row)] == []
    assert inspect.getdoc(ms.Tensor.exp_).endswith(inspect.getdoc(ms.ops.exp))


LINES = {
    f"{space}.{name}": fn
    for space, names in {
        "Tensor": METHODS,
        "mint": MINT,
        "mint.nn.functional": FUNCTIONAL,
        "mint.linalg": LINALG,
    }.items()
    for name, value in names.items()
    if inspect.isfunction(fn := getattr(value, "fget", value)) and fn.__code__.co_filename == f"<op {space}>"
}


def test_lines_of_tables_document_their_own_parameters():
    """The text is the row's, the names are those of the view."""
    assert len(LINES) > 150
    missing = {name: left for name, fn in LINES.items() if (left := set(unnamed(fn)) - {"self"})}
    assert missing == {}, "\n".join(f"{name}: {', '.join(left)}" for name, left in sorted(missing.items()))
    unknown = {name: left for name, fn in LINES.items() if (left := named(fn) - set(inspect.signature(fn).parameters))}
    assert unknown == {}, "\n".join(f"{name}: {', '.join(left)}" for name, left in sorted(unknown.items()))


def test_methods_have_a_docstring():
    silent = [name for name in METHODS if not name.startswith("__") and not inspect.getdoc(getattr(ms.Tensor, name))]
    assert silent == [], "\n".join(sorted(silent))


class Examples(doctest.DocTestFinder):
    """Finds the examples that are written in a module, of classes and functions with a public name as well."""

    def _from_module(self, module, object):
        if isinstance(object, (type, FunctionType)):
            return defined_in(object) == module.__name__
        return super()._from_module(module, object)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        for test in Examples().find(module, globs=USUAL_NAMES | vars(module)):
            runner.run(test)
    assert runner.failures == 0


def test_examples_of_rows_made_in_loops_run():
    """Doctest finds what a module names; `scatter_add` and its kin are named in the table alone."""
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    found = 0
    for name, fn in ROWS.items():
        if getattr(importlib.import_module(defined_in(fn)), fn.__name__, None) is not fn:
            found += 1
            for test in doctest.DocTestFinder().find(fn, name, module=False, globs=dict(USUAL_NAMES)):
                runner.run(test)
    assert found >= 14
    assert runner.failures == 0


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


@pytest.mark.parametrize("page", ["notebooks.md", "friends.md", "jax.md"])
def test_python_blocks_of_pages_run(page: str) -> None:
    before = "f, x = (lambda x: x), 1\n"  # what the blocks of jax.md suppose
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL):
        subprocess.run([sys.executable, "-c", before + block], check=True)


DOCUMENTS = ["README.md", "CONTRIBUTING.md", "bench/README.md", "examples/README.md",
             *(str(p.relative_to(ROOT)) for p in sorted((ROOT / "docs").rglob("*.md")))]  # fmt: skip


def test_texts_name_files_that_exist():
    """Paths of the repository, or of `sporax/_src`, in backquotes, and links between documents."""
    roots = {path.name for path in (*ROOT.iterdir(), *(ROOT / "sporax" / "_src").iterdir()) if path.is_dir()}
    missing = []
    for document in DOCUMENTS:
        text = re.sub(r"```.*?```", "", (ROOT / document).read_text(), flags=re.DOTALL)
        for path in re.findall(r"`([\w.]+(?:/[\w.]+)+)`", text):
            known = path.split("/")[0] in roots and Path(path).suffix in (".py", ".json", ".md")
            if known and not (ROOT / path).exists() and not (ROOT / "sporax" / "_src" / path).exists():
                missing.append(f"{document}: {path}")
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            if not ((ROOT / document).parent / link).exists():
                missing.append(f"{document}: {link}")
    assert missing == [], "\n".join(missing)


def test_each_environment_variable_is_documented() -> None:
    """Those that the code reads by name, in docs/environment.md."""
    sources = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "sporax" / "_src").rglob("*.py"))
    read = set(re.findall(r"(?:environ|number)\(\"([A-Z][A-Za-z_]+)\"", sources))
    read |= set(re.findall(r"\"(SPORAX_[A-Z_]+)\"", sources))
    text = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    assert sorted(name for name in read if f"`{name}`" not in text) == []
