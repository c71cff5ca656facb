"""Public functions and classes take what MindSpore's take, by the same names in the same order, and have what they have."""

import fnmatch
import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Collection
from typing import Any

import pytest
from house import ROOT
from signature_differences import MEMBERS, MISSING, NEWER_MEMBERS, NEWER_SIGNATURES, OBJECTS, SIGNATURES

from sporax._src.base.release import RELEASES

THEIRS = json.loads((ROOT / "tests" / "goldens" / "signatures.json").read_text(encoding="utf-8"))
NEWER = json.loads((ROOT / "tests" / "goldens" / "newer_signatures.json").read_text(encoding="utf-8"))
AS_NEWEST = {"as in MindSpore 2.10": "ops.init_process_group"}
STAYS = {"it is no public name there, and programs call it": "mint.nn.Dropout2d reset_ps_context"}


def reader() -> Any:
    """Return the module that recorded the goldens; it reads any package."""
    spec = importlib.util.spec_from_file_location("signature_text", ROOT / "tools" / "goldens" / "signature_text.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TEXT = reader()
THINGS = dict(TEXT.public_names("sporax"))
OURS = TEXT.names("sporax")


def listed(table: dict[str, str], name: str) -> bool:
    """Tell whether a table of reasons has a name."""
    return any(fnmatch.fnmatchcase(name, pattern) for names in table.values() for pattern in names.split())


def unused(table: dict[str, str], names: Collection[str]) -> list[str]:
    """Return the entries of a table that no name needs."""
    patterns = [pattern for listed in table.values() for pattern in listed.split()]
    return [pattern for pattern in patterns if not fnmatch.filter(names, pattern)]


def left_out() -> set[str]:
    """Return the names that the page of what is left out gives reasons for, without their namespaces."""
    found: set[str] = set()
    for entry in re.findall(r"`([^`]+)`", (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")):
        several = re.fullmatch(r".*\{(.*)\}", entry)
        found |= {name.strip().rpartition(".")[2] for name in (several[1].split(",") if several else [entry])}
    return found


def parameters(text: str) -> list[inspect.Parameter]:
    """Return the parameters that a text says."""
    made: dict[str, Any] = {}
    exec(f"from math import inf\ndef made({text}): ...", made)
    return list(inspect.signature(made["made"]).parameters.values())


def named(text: str) -> list[inspect.Parameter]:
    """Return those that have a name at the call."""
    return [p for p in parameters(text) if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def differs(theirs: str, ours: str | None) -> bool:
    """Tell whether a call that theirs takes is otherwise here: ours may take more, after what they take.

    A default that is no plain value is an ellipsis, and here often None, which stands for the same.
    """
    if ours is None:
        return True
    wanted, have = named(theirs), named(ours)
    if [p.name for p in have[: len(wanted)]] != [p.name for p in wanted]:
        return not (ours.startswith("*") and not wanted)
    pairs = list(zip(wanted, have, strict=False))
    plain = [(w.default, h.default) for w, h in pairs if ... not in (w.default, h.default) and w.default is not w.empty]
    given = [h.default is h.empty for w, h in pairs if w.default is ...]
    more = [p for p in have[len(wanted) :] if p.default is p.empty]
    return any(repr(w) != repr(h) for w, h in plain) or any(given) or bool(more)


def compared(theirs: dict[str, Any], ours_of: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    """Return each signature that says something, there and here, by its name ("nn.Dense.construct")."""
    found = {}
    for name, entry in theirs.items():
        for method, text in entry.items():
            if method == "members" or text is None or name not in ours_of or (text.startswith("*") and not named(text)):
                continue
            own = ours_of[name]
            ours = own.get(method, own.get("call", own.get("construct")))
            if method == "call" and "call" not in own:
                ours = own["__init__"]
            found[name if method == "call" else f"{name}.{method}"] = (text, ours)
    return found


def test_names_are_there():
    """Every public name of MindSpore's is here, or stands in a table with the reason why not."""
    told = left_out()
    missing = [name for name in THEIRS["names"] if name not in OURS and name.rpartition(".")[2] not in told]
    assert [name for name in missing if not listed(MISSING, name)] == []
    assert unused(MISSING, missing) == []


def test_parameters_are_the_same():
    found = compared(THEIRS["names"], OURS)
    other = {name: pair for name, pair in found.items() if differs(*pair)}
    assert {name: pair for name, pair in other.items() if not listed(SIGNATURES, name)} == {}
    assert unused(SIGNATURES, other) == []
    assert len(other) < 0.01 * len(found) and len(found) > 2500


def test_classes_have_what_theirs_have():
    classes = {
        name: entry["members"].split() for name, entry in THEIRS["names"].items() if "members" in entry and name in OURS
    }
    missing = [f"{name}.{m}" for name, members in classes.items() for m in members if not hasattr(THINGS[name], m)]
    assert [name for name in missing if not listed(MEMBERS, name)] == []
    assert unused(MEMBERS, missing) == []


def test_objects_have_what_theirs_have():
    """Those of classes that programs derive from, the names with one underscore too."""
    ours = TEXT.objects("sporax")
    missing = {
        name
        for kind, entry in THEIRS["objects"].items()
        for name in set(entry["members"].split()) - set(ours[kind]["members"].split())
    }
    assert sorted(name for name in missing if not listed(OBJECTS, name)) == []
    assert unused(OBJECTS, missing) == []
    assert {"_cells", "_params", "_auto_prefix", "_phase"} <= set(ours["nn.Cell"]["members"].split())


@pytest.mark.parametrize("release", NEWER)
def test_newer_releases(release, follow):
    """They have what that release has, and what was before unless it is gone."""
    follow(release)
    theirs, ours, told = NEWER[release], TEXT.names("sporax"), left_out()
    missing = [name for name in theirs["names"] if name not in ours and name.rpartition(".")[2] not in told]
    assert [name for name in missing if not listed(MISSING, name)] == []
    found = compared(theirs["names"], ours)
    other = {name: pair for name, pair in found.items() if differs(*pair)}
    reasons = SIGNATURES | NEWER_SIGNATURES | (AS_NEWEST if release != RELEASES[-1] else {})
    assert {name: pair for name, pair in other.items() if not listed(reasons, name)} == {}
    things = dict(TEXT.public_names("sporax"))
    members = [
        (f"{name}.{member[1:]}", member[0] == "+", hasattr(things[name], member[1:]))
        for name, entry in theirs["names"].items()
        for member in (entry.get("members") or "").split()
        if name in things
    ]
    absent = [name for name, is_new, is_here in members if is_new and not is_here]
    assert [n for n in absent if not listed(MEMBERS, n) and not listed(NEWER_MEMBERS, n)] == []
    assert [name for name, is_new, is_here in members if not is_new and is_here] == []
    assert [name for name in theirs["gone"] if name in ours and not listed(STAYS, name)] == []
    if release == RELEASES[-1]:
        assert unused(NEWER_SIGNATURES, other) == unused(NEWER_MEMBERS, absent) == []


def test_differences_are_told_from_likeness():
    assert not differs("x, axis=()", "x, axis=(), keep_dims=False")
    assert not differs("x, dtype=...", "x, dtype=None")
    assert not differs("x, y", "x, y=1")
    assert not differs("", "*args, **kwargs")
    assert differs("x", "input") and differs("x, axis=()", "x, axis=None") and differs("x=1", "x")
    assert differs("x", "*args") and differs("x", "x, y") and differs("x, dtype=...", "x, dtype") and differs("x", None)
