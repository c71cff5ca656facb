"""Tables of cases split by module: the file that mirrors a module of sporax runs the rows that test this module."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
# A parametrized test, and the module of sporax that a row of its table tests.
Table = tuple[Callable[..., None], Callable[..., str]]


def cases_of(modules: Iterable[str], tables: Iterable[Table]) -> type:
    """Return a class of tests, one for each table, that run the rows of some modules.

    Raises:
        ValueError: If no table has a row of these modules.
    """
    chosen = set(modules)
    tests = {test.__name__: _selected(test, module_of, chosen) for test, module_of in tables}
    kept = {name: staticmethod(test) for name, test in tests.items() if test is not None}
    if not kept:
        raise ValueError(f"no table has a row of {sorted(chosen)}")
    return type("Cases", (), kept)


def modules_of(tables: Iterable[Table]) -> set[str]:
    """Return every module that a row tests."""
    return {module_of(*row) for test, module_of in tables for row in _rows(_table(test))}


def without_a_file(tables: Iterable[Table], call: str) -> set[str]:
    """Return the modules that a row tests and that no file mirrors in which `call` selects their rows."""
    return {module for module in modules_of(tables) if not _selects(mirror(module), f'{call}("{module}")')}


def mirror(module: str) -> Path:
    """Return the file of tests that mirrors a module: `nn/cell/test_hooks.py` for `sporax._src.nn.cell.hooks`."""
    *folders, name = module.removeprefix("sporax._src.").split(".")
    return TESTS.joinpath(*folders, f"test_{name}.py")


def _selects(file: Path, call: str) -> bool:
    return file.exists() and call in file.read_text(encoding="utf-8")


def _table(test: Callable[..., None]) -> pytest.Mark:
    """Return the mark that holds the rows: the parametrization next to the test."""
    return next(mark for mark in test.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]


def _rows(mark: pytest.Mark) -> list[tuple[Any, ...]]:
    names, values = mark.args
    return [tuple(row) if isinstance(names, tuple) else (row,) for row in values]


def _selected(
    test: Callable[..., None], module_of: Callable[..., str], modules: set[str]
) -> Callable[..., None] | None:
    """Return a copy of the test whose table has the rows of some modules, None if there are none."""
    assert isinstance(test, FunctionType)
    mark = _table(test)
    names, values = mark.args
    values, places = list(values), [i for i, row in enumerate(_rows(mark)) if module_of(*row) in modules]
    if not places:
        return None
    options = dict(mark.kwargs)
    if isinstance(options.get("ids"), list):
        options["ids"] = [options["ids"][i] for i in places]
    copy = FunctionType(test.__code__, test.__globals__, test.__name__, test.__defaults__, test.__closure__)
    copy.__doc__, copy.__module__ = test.__doc__, test.__module__
    copy.__annotations__ = test.__annotations__
    fewer = pytest.mark.parametrize(names, [values[i] for i in places], **options).mark
    copy.pytestmark = [fewer if other is mark else other for other in test.pytestmark]  # type: ignore[attr-defined]
    return copy
