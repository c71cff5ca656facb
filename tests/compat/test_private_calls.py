"""Functions of MindSpore's private modules answer what they answer there; recorded from MindSpore 2.7.0."""

import builtins
import json
from collections.abc import Iterator
from typing import Any

import pytest
from house import ROOT
from private_calls import calls, evaluate

from sporax._src.compat import finder

WANT = json.loads((ROOT / "tests" / "goldens" / "private_calls.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", autouse=True)
def _installed() -> Iterator[None]:
    finder.install()
    yield
    finder.uninstall()


@pytest.mark.parametrize("path", sorted(WANT))
def test_calls_of_private_modules(path: str) -> None:
    wrong = {}
    for expression, want in WANT[path].items():
        got = evaluate(path, expression)
        if not same(got, want):
            wrong[expression] = got, want
    assert wrong == {}


def same(got: Any, want: Any) -> bool:
    """Tell whether two answers agree: floats to what float32 holds, errors by the type that handlers catch."""
    if isinstance(want, float) or isinstance(got, float):
        return got == pytest.approx(want, rel=1e-5, abs=1e-6, nan_ok=True)
    if isinstance(want, dict) and isinstance(got, dict):
        if "error" in want:
            return "error" in got and caught(got["error"]) == caught(want["error"])
        return want.keys() == got.keys() and all(same(got[key], want[key]) for key in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(got) == len(want) and all(map(same, got, want))
    return got == want


def caught(types: list[str]) -> str:
    return next(name for name in types if hasattr(builtins, name))


def test_every_call_is_recorded() -> None:
    told = [(path, expression) for path, found in WANT.items() for expression in found]
    assert sorted(told) == sorted(set(calls()))
