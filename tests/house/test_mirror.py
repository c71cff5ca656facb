"""Tests mirror the source: a module of `sporax/_src/<package>` has `tests/<package>/test_<module>.py`.

`[tool.sporax.mirror]` of pyproject.toml says which share of each package's modules is tested at least: by a test file of its name,
or by a law that finds the module by itself. `LAWS` names these laws; `test_additions` shows that they run what is new.
Laws over whole tables are in `tests/laws`, recorded programs in `tests/recorded`, the tests of this repository in `tests/house`.
"""

import ast
from pathlib import Path

import data_tables
import optimizer_tables
import pytest
from by_module import TESTS, mirror, modules_of
from house import ROOT, Module, body, functions, modules, settings

from sporax._src.checkpoint.formats import FORMATS

MIRROR = settings()["mirror"]
# The modules that a law of their package runs, whether or not they have a test file.
LAWS = {
    "optim/laws/test_tables.py": modules_of(optimizer_tables.LAWS),
    "data/laws/test_tables.py": modules_of(data_tables.LAWS),
    "checkpoint/laws/test_formats.py": {module.__name__ for module in FORMATS.values()},
}


def holds_logic(module: Module) -> bool:
    """Tell whether a module has functions that do something; tables of names and values have none."""
    return any(not is_empty(f) for f in functions(module))


def is_empty(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function only has a docstring, or raises NotImplementedError."""
    return all(
        isinstance(s, ast.Pass)
        or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        or (isinstance(s, ast.Raise) and "NotImplementedError" in ast.unparse(s))
        for s in body(function)
    )


def test_of(module: Module) -> Path:
    """Return where the tests of a module are."""
    return mirror(module.name)


test_of.__test__ = False  # a function of this file, for all that its name begins with


def is_tested(module: Module) -> bool:
    """Tell whether a module has a test file of its name, or a law runs it."""
    return test_of(module).exists() or any(module.name in run for run in LAWS.values())


def packages() -> dict[str, list[Module]]:
    """Return by package the modules that hold logic."""
    found: dict[str, list[Module]] = {}
    for module in modules().values():
        if module.package and not module.path.name.startswith("__") and holds_logic(module):
            found.setdefault(module.package, []).append(module)
    return found


def share(found: list[Module]) -> float:
    """Return how many of a hundred modules are tested."""
    return 100 * sum(map(is_tested, found)) / len(found)


@pytest.mark.parametrize("package", sorted(packages()))
def test_modules_have_a_test_of_their_name(package: str) -> None:
    found = packages()[package]
    without = [str(test_of(m).relative_to(ROOT)) for m in found if not is_tested(m)]
    text = f"{share(found):.0f} % of the {len(found)} modules of {package} are tested; these test files are missing:"
    print(text, *without, sep="\n")
    assert share(found) >= MIRROR["shares"][package], "\n".join([text, *without])


def test_most_modules_have_a_test_of_their_name() -> None:
    found = [m for package in packages().values() for m in package]
    print(f"{share(found):.1f} % of {len(found)} modules")
    assert share(found) >= MIRROR["all"]


def test_laws_run_modules_that_exist() -> None:
    for file, run in LAWS.items():
        assert (TESTS / file).exists() and run and run <= set(modules()), file


def test_few_tests_lie_flat() -> None:
    """Those that test the whole."""
    assert {p.name for p in TESTS.glob("test_*.py")} == set(MIRROR["flat"])


def test_logic_is_told_from_tables() -> None:
    assert not is_empty(ast.parse("def f(): return 1").body[0])
    assert is_empty(ast.parse("def f(): 'Say.'").body[0])
    assert is_empty(ast.parse("def f():\n 'Say.'\n raise NotImplementedError").body[0])
