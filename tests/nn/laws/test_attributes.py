"""Objects hold what MindSpore's objects hold: subclasses of programs use their Primitives, constants and Parameters."""

import fnmatch
import functools
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from attribute_differences import DIFFERENT, MISSING

ROOT = Path(__file__).resolve().parents[3]
GOLDENS = json.loads((ROOT / "tests" / "goldens" / "layer_attributes.json").read_text(encoding="utf-8"))
SECTIONS = [section for section in GOLDENS if section != "layout"]


def reader() -> ModuleType:
    """Return the module that recorded the goldens; it reads any package."""
    spec = importlib.util.spec_from_file_location("attribute_text", ROOT / "tools" / "goldens" / "attribute_text.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TEXT = reader()


@functools.cache
def compared(section: str) -> tuple[dict[str, Any], dict[str, tuple[Any, Any]]]:
    """Return what objects lack, and what is otherwise here: by "nn.Dense.reshape", what it is there (and here)."""
    missing, different = {}, {}
    for expression, theirs in GOLDENS[section].items():
        ours = TEXT.attributes(expression, "sporax", theirs)
        kind = expression.partition("(")[0]
        for name, wanted in theirs.items():
            if name not in ours:
                missing[f"{kind}.{name}"] = wanted
            elif differs(wanted, ours[name]):
                different[f"{kind}.{name}"] = (wanted, ours[name])
    return missing, different


def differs(wanted: Any, have: Any) -> bool:
    """Tell whether an attribute is otherwise here; arguments of a Primitive that ours does not keep do not count."""
    if isinstance(wanted, dict) and isinstance(have, dict):
        return wanted != wanted | have
    return wanted != have


def listed(table: dict[str, str], name: str) -> bool:
    """Tell whether a table of reasons has a name."""
    return any(fnmatch.fnmatchcase(name, pattern) for names in table.values() for pattern in names.split())


@pytest.mark.of_cpus("the name of the device is among them")
@pytest.mark.parametrize("section", SECTIONS)
def test_objects_hold_what_theirs_hold(section: str) -> None:
    missing, different = compared(section)
    assert {name: told for name, told in missing.items() if not listed(MISSING, name)} == {}
    assert {name: told for name, told in different.items() if not listed(DIFFERENT, name)} == {}


def test_reasons_are_needed() -> None:
    found = [compared(section) for section in SECTIONS]
    for place, table in enumerate((MISSING, DIFFERENT)):
        names = {name for pair in found for name in pair[place]}
        patterns = [pattern for told in table.values() for pattern in told.split()]
        assert [pattern for pattern in patterns if not fnmatch.filter(names, pattern)] == []


def test_differences_are_told_from_likeness() -> None:
    squeeze = {"kind": "Squeeze", "axis": "2"}
    assert not differs(squeeze, squeeze) and not differs(squeeze, {"kind": "Squeeze"}) and not differs("1", "1")
    assert differs(squeeze, {"kind": "Squeeze", "axis": "1"}) and differs(squeeze, {"kind": "Reshape"})
    assert differs(squeeze, "function") and differs("1", "True")
