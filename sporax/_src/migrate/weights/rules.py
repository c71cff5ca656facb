"""The user's rules, a TOML file: names that differ, arrays to transpose or reshape, and arrays to leave out.

    drop = ["aux_head.**"]

    [rename]
    "backbone.*.weight" = "features.*.weight"

    [transpose]
    "h.*.attn.c_attn.weight" = [1, 0]

    [reshape]
    "head.weight" = [10, 64, 1, 1]

The left side has names of SRC. `*` matches any text without a dot and `**` any text. On the right side of a rename, the
same stars in the same order insert the matched text. The first rename that matches is used. Renames are applied before
everything else. The renaming of a layer's kind (weight → gamma) follows, unless the target net has exactly the new
name.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.migrate.weights.entries import Entries, Entry
from sporax._src.migrate.weights.report import Note, WeightsRow

RulesLike = str | os.PathLike[str] | Mapping[str, Any] | None
_STAR = re.compile(r"\*\*|\*")
_TABLES = {"rename": str, "transpose": list, "reshape": list}


@dataclass(frozen=True)
class Rules:
    """Rules by pattern; `label` is their file."""

    label: str = "rules"
    drop: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    transpose: Mapping[str, list[int]] = field(default_factory=dict)
    reshape: Mapping[str, list[int]] = field(default_factory=dict)


@dataclass
class Applied:
    """A source after the rules: entries and arrays, notes by name, the rows of dropped names, and the renamed names."""

    entries: Entries
    arrays: dict[str, np.ndarray]
    notes: dict[str, Note] = field(default_factory=dict)
    rows: list[WeightsRow] = field(default_factory=list)
    renamed: set[str] = field(default_factory=set)


def read_rules(rules: RulesLike) -> Rules:
    """Return rules of a file or a dict, none for None.

    Args:
        rules: The TOML file, or its content.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it does not have the form of the rules.
    """
    if rules is None:
        return Rules()
    if isinstance(rules, Mapping):
        return _checked(dict(rules), "rules")
    path = Path(rules)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file of rules.")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: not a TOML file: {error}.") from None
    return _checked(content, str(path))


def _checked(content: dict[str, Any], label: str) -> Rules:
    if unknown := [key for key in content if key not in ("drop", *_TABLES)]:
        raise ValueError(
            f"{label}: expected drop = [...], [rename], [transpose] and [reshape], got {', '.join(unknown)}."
        )
    drop = content.get("drop", [])
    if not isinstance(drop, list) or not all(isinstance(name, str) for name in drop):
        raise ValueError(f"{label}: drop must be a list of names, got {drop!r}.")
    for table, kind in _TABLES.items():
        rows = content.get(table, {})
        wanted = "a name" if kind is str else "a list of whole numbers"
        if not isinstance(rows, Mapping):
            raise ValueError(f'{label}: [{table}] must hold lines "NAME" = {wanted}, got {rows!r}.')
        for pattern, value in rows.items():
            whole = kind is str or (isinstance(value, list) and all(type(n) is int for n in value))
            if not isinstance(value, kind) or not whole:
                raise ValueError(f'{label}: [{table}] "{pattern}" must be {wanted}, got {value!r}.')
            if isinstance(value, str) and _STAR.findall(pattern) != _STAR.findall(value):
                raise ValueError(f'{label}: [rename] "{pattern}" = "{value}": both sides must have the same stars.')
    return Rules(label, tuple(drop), *(content.get(table, {}) for table in _TABLES))


def is_dropped(rules: Rules, name: str) -> bool:
    """Return whether a rule leaves a name out.

    Args:
        rules: The rules.
        name: The name.
    """
    return any(_compiled(pattern).fullmatch(name) for pattern in rules.drop)


def apply(rules: Rules, entries: Entries, arrays: Mapping[str, np.ndarray], others: tuple[str, ...] = ()) -> Applied:
    """Return a source after the rules.

    Args:
        rules: The rules.
        entries, arrays: The source.
        others: Further names of the source that rules may use.

    Raises:
        ValueError: If a rule fits no name, two names become one, or axes or shapes do not fit.
    """
    _check_used(rules, [*(entry.name for entry in entries.items), *others])
    done = Applied(dataclasses.replace(entries, items=[]), dict(arrays))
    for entry in entries.items:
        if pattern := next((p for p in rules.drop if _compiled(p).fullmatch(entry.name)), ""):
            array = arrays[entry.name]
            done.rows.append(
                WeightsRow(entry.name, "", "dropped", array.shape, str(array.dtype), f'by the rule "{pattern}"')
            )
            continue
        path = _new_name(rules, entry)
        done.renamed |= {entry.name} if path != entry.path else set()
        array, note = _new_layout(rules, entry, arrays[entry.name])
        done.arrays[entry.name] = array
        done.notes |= {entry.name: Note("reshaped", note)} if note else {}
        done.entries.items.append(dataclasses.replace(entry, path=path, shape=array.shape))
    _check_distinct(rules, done.entries.items)
    return done


def _check_used(rules: Rules, names: list[str]) -> None:
    for pattern in (*rules.drop, *rules.rename, *rules.transpose, *rules.reshape):
        if not any(_compiled(pattern).fullmatch(name) for name in names):
            near = difflib.get_close_matches(pattern, names, 3, 0.4) or names[:3]
            raise ValueError(
                f'{rules.label}: "{pattern}" fits no name of the source; it has such as {", ".join(near)}.'
            )


def _check_distinct(rules: Rules, items: list[Entry]) -> None:
    first: dict[str, str] = {}
    for entry in items:
        if (other := first.setdefault(entry.path, entry.name)) != entry.name:
            raise ValueError(
                f'{rules.label}: "{other}" and "{entry.name}" both become "{entry.path}"; drop or rename one.'
            )


def _new_name(rules: Rules, entry: Entry) -> str:
    for pattern, name in rules.rename.items():
        if match := _compiled(pattern).fullmatch(entry.name):
            return _filled(name, match.groups())
    return entry.path


def _filled(name: str, texts: Iterable[str]) -> str:
    """Replace stars by texts."""
    left = iter(texts)
    return _STAR.sub(lambda _: next(left), name)


def _new_layout(rules: Rules, entry: Entry, array: np.ndarray) -> tuple[np.ndarray, str]:
    old, notes = list(array.shape), []
    for pattern, axes in rules.transpose.items():
        if _compiled(pattern).fullmatch(entry.name):
            if sorted(axes) != list(range(array.ndim)):
                raise ValueError(
                    f'{rules.label}: [transpose] "{pattern}" = {axes}: {entry.name} has shape {old}; '
                    f"the rule must name the axes {list(range(array.ndim))} in their new order."
                )
            array = np.ascontiguousarray(array.transpose(axes))
            notes.append(f"transposed by {axes}")
    for pattern, shape in rules.reshape.items():
        if _compiled(pattern).fullmatch(entry.name):
            if min(shape, default=0) < 0 or math.prod(shape) != array.size:
                raise ValueError(f'{rules.label}: [reshape] "{pattern}" = {shape}: {entry.name} has shape {old}.')
            array = array.reshape(shape)
            notes.append(f"reshaped from {old}")
    return array, ", ".join(notes)


def _compiled(pattern: str) -> re.Pattern[str]:
    parts = {"*": r"([^.]*)", "**": r"(.*)"}
    return re.compile("".join(parts.get(p) or re.escape(p) for p in re.split(f"({_STAR.pattern})", pattern)))
