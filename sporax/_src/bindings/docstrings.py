"""Adapts the docstring of a row to an adapter with parameters of its own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

_TITLES = ("Args", "Returns", "Raises", "Examples")
_SECTION_START = re.compile(r"\n\n(?=[A-Z][a-z]+:\n)")
_ENTRY_START = re.compile(r"\n(?= {4}\S)")
_NOTE = re.compile(r"(\w+(?:, \w+)*): (.*)")
_NAME = re.compile(r"`(\w+)`")
_NEVER = [f"the Tensor is {what}" for what in ("no Tensor", "no CSRTensor", "no COOTensor", "something else")]
_OR = re.compile(r",\s+or\s+")


class Forwarding(NamedTuple):
    """The arguments that an adapter passes to its row.

    Args:
        parameters: The parameters of the adapter.
        operand: The parameter that is the object of a method; "" for a function.
        sources: The row's parameters, each with the names that its value depends on.
        unchanged: The row's parameters, each with the names that it may get unchanged.
    """

    parameters: Sequence[str]
    operand: str
    sources: Mapping[str, Set[str]]
    unchanged: Mapping[str, Set[str]]


def docstring(text: str | None, forwarding: Forwarding, notes: Sequence[str]) -> str | None:
    """Return the docstring of an adapter.

    Args:
        text: The docstring of the row.
        forwarding: The arguments that the adapter passes to the row.
        notes: Lines that replace parts of the row's docstring: a summary, `names: text` of arguments, `kind: text` of errors,
            `Returns: text`, and an example at the end.
    """
    same = {name: {name} for name in forwarding.parameters}
    if not notes and (text is None or forwarding.unchanged == same):
        return text
    head, *sections = _SECTION_START.split(inspect.cleandoc(text or ""))
    written = dict.fromkeys(_TITLES, "") | {title: body for title, _, body in (s.partition(":\n") for s in sections)}
    start = next((i for i, note in enumerate(notes) if note.startswith(">>> ")), len(notes))
    entries = [_NOTE.fullmatch(note) for note in notes[:start]]
    summary, *more = [note for note, entry in zip(notes, entries, strict=False) if not entry] or [""]
    noted = {entry[1]: entry[2] for entry in entries if entry}
    if notes[start:]:
        written["Examples"] = "\n".join([f"    {line}" for line in notes[start:]])
    if "Returns" in noted:
        written["Returns"] = f"    {noted.pop('Returns')}"
    errors = {kind: noted.pop(kind) for kind in [*noted] if kind.endswith("Error")}
    written["Args"] = _arguments(_entries(written["Args"]), forwarding, noted)
    written["Raises"] = _errors(_entries(written["Raises"]), forwarding, errors)
    shown = [f"{title}:\n{body}" for title, body in written.items() if body]
    return "\n\n".join([summary or _renamed(head, forwarding), *(["\n".join(more)] if more else []), *shown])


def _entries(section: str) -> list[tuple[str, str]]:
    """Return the text before and after the colon of each entry of a section."""
    parts = [entry.strip().partition(":") for entry in _ENTRY_START.split(section) if entry]
    return [(names, text.strip()) for names, _, text in parts]


def _arguments(entries: list[tuple[str, str]], forwarding: Forwarding, noted: dict[str, str]) -> str:
    """Return the section `Args`: the notes, and the row's entries under the adapter's parameter names."""
    parameters, operand, sources, unchanged = forwarding
    documented = {name for names in noted for name in names.split(", ")} | {operand}
    lines = dict(noted)
    for names, text in entries:
        values = [sources[name] for name in names.split(", ") if name in sources and operand not in unchanged[name]]
        own = [p for p in parameters if p not in documented and p in set().union(*values)]
        if own:
            documented |= {*own}
            lines[", ".join(own)] = _renamed(text, forwarding)
    order = sorted(lines, key=lambda names: parameters.index(names.split(", ")[0]))
    return "\n".join([f"    {names}: {lines[names]}" for names in order])


def _errors(entries: list[tuple[str, str]], forwarding: Forwarding, noted: dict[str, str]) -> str:
    """Return the section `Raises`: the notes, and those of the row's entries that are about forwarded arguments."""
    lines = [f"    {kind}: {text}" for kind, text in noted.items()]
    for kind, text in entries:
        cases = [_renamed(case, forwarding) for case in _OR.split(text.rstrip(".")) if _concerns(case, forwarding)]
        cases = [case for case in cases if case.removeprefix("If ") not in _NEVER]
        if cases and kind not in noted:
            start = "If " if text.startswith("If ") else ""
            lines.append(f"    {kind}: {start}{', or '.join(cases).removeprefix(start)}.")
    return "\n".join(lines)


def _concerns(text: str, forwarding: Forwarding) -> bool:
    """Return whether all parameters of the row that a text names are forwarded unchanged."""
    return all(forwarding.unchanged.get(name, True) for name in _NAME.findall(text))


def _renamed(text: str, forwarding: Forwarding) -> str:
    """Return a text with the row's parameter names replaced by the adapter's."""

    def name(match: re.Match[str]) -> str:
        values = forwarding.unchanged.get(match[1], ())
        if forwarding.operand in values:
            return "the Tensor"
        own = [p for p in forwarding.parameters if p in values]
        return match[0] if not own or match[1] in own else f"`{own[0]}`"

    return _NAME.sub(name, text) if "`" in text else text
