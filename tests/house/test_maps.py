"""Maps of the packages: the docstring of each `__init__` names the modules and folders beside it, in reading order."""

import ast
import re
from pathlib import Path

import pytest

from sporax._src.startup.process import PLATFORMS

SOURCE = Path(__file__).parents[2] / "sporax" / "_src"
# Folders whose files are named after modules of MindSpore and of torch, and those with one file for each thing of a kind: a new
# callback or command is found by its name, and no map grows.
MIRRORS = (
    "compat/shims",
    "compat/tables",
    "compat/transformer",
    "compat/workers",
    "migrate/helpers",
    "migrate/torch_map",
)
KINDS = (
    "checkpoint/formats", "cli/commands", "data/transformations", "optim", "optim/param_groups", "train/callbacks", "train/metrics",
    *(f"lowering/{platform}" for platform in PLATFORMS),
)  # fmt: skip
PACKAGES = sorted(
    p.parent
    for p in SOURCE.rglob("__init__.py")
    if not str(p.parent.relative_to(SOURCE)).startswith(MIRRORS) and str(p.parent.relative_to(SOURCE)) not in KINDS
)
NAME = r"`([a-z_][a-z0-9_]*)`"


def members(package: Path) -> set[str]:
    """Return the names of modules and packages in a folder."""
    files = {p.stem for p in package.glob("*.py")} - {"__init__"}
    return files | {p.name for p in package.iterdir() if (p / "__init__.py").is_file()}


def described(package: Path) -> str:
    return ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_package_names_what_is_in_it(package: Path) -> None:
    text = described(package)
    assert text, "the package has no docstring"
    missing = members(package) - set(re.findall(NAME, text))
    assert not missing, f"{package.name}/__init__.py does not name {', '.join(sorted(missing))}"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_reading_order_names_modules_that_are_there(package: Path) -> None:
    order = re.search(r"Reading order: (.*?)(?:[.:]\s|\n\n|\Z)", described(package), re.DOTALL)
    named = re.findall(NAME, re.sub(r"\(.*?\)", "", order.group(1), flags=re.DOTALL)) if order else []
    assert sorted(set(named) - members(package)) == []
