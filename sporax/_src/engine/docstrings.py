"""Docstrings of views: what the row says, as far as it holds for the view, and what the view says of itself."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class Text:
    """A docstring that is written when it is read."""

    def __init__(self, write: Callable[[], str]) -> None:
        self.write = write

    def __get__(self, owner: Any, kind: type | None = None) -> str:
        return self.write()


@dataclass
class _Parts:
    """The parts of a docstring; entries of `Args` by the names they begin with."""

    head: list[str] = field(default_factory=list)
    arguments: dict[str, str] = field(default_factory=dict)
    returns: list[str] = field(default_factory=list)
    raises: dict[str, str] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)


def view_text(
    names: Sequence[str], row: Any, renamed: Mapping[str, str], remarks: Sequence[str], whole: bool = True
) -> str:
    """Return the docstring of a view.

    A remark is a sentence (in place of the row's), `argument: meaning`, `Returns: what`, `SomeError: when` or an example.
    The row's word counts where there is no remark: on arguments that the view passes on, on errors that speak of no
    other arguments, and on the result, with its example, if the view returns what the row does.

    Args:
        names: The arguments of the view, in the order of its text.
        row: The operator that it forwards to, or None.
        renamed: The names of the view for parameters of the row.
        remarks: Texts of remarks; a later one counts more.
        whole: Whether the view returns what the row does.
    """
    own, given = _Parts(), _parts(inspect.getdoc(row) or "" if row else "")
    for text in remarks:
        _add_remarks(own, inspect.cleandoc(f"\n{text}"))
    lacking = (set(inspect.signature(row).parameters) if row else set()) - set(renamed)

    def said(text: str) -> str | None:
        """Return a text of the row in the words of the view, None if it speaks of parameters that the view lacks."""
        if lacking.intersection(re.findall(r"`(\w+)`", text)):
            return None
        return re.sub(r"`(\w+)`", lambda m: f"`{renamed.get(m[1], m[1])}`", text)

    inherited = {
        ", ".join(renamed.get(n, "") for n in label.split(", ")): said(text) or text
        for label, text in given.arguments.items()
    }
    meanings: dict[tuple[str, str], list[str]] = {}  # names that one entry explains stay together
    for name in names:
        entries = (*own.arguments.items(), *inherited.items())
        entry = next((entry for entry in entries if name in entry[0].split(", ")), None)
        if entry:
            meanings.setdefault(entry, []).append(name)
    raises = own.raises or {kind: new for kind, old in given.raises.items() if (new := said(old))}
    sections = {
        "Args": [f"{', '.join(group)}: {text}" for (_, text), group in meanings.items()],
        "Returns": own.returns or (given.returns if whole else []),
        "Raises": [f"{kind}: {text}" for kind, text in raises.items()],
        "Examples": own.examples or (given.examples if whole else []),
    }
    head = own.head or [said(line) or line for line in given.head]
    told = [[title + ":", textwrap.indent("\n".join(lines), "    ")] for title, lines in sections.items() if lines]
    return "\n\n".join("\n".join(lines) for lines in [head, *told])


def _parts(doc: str) -> _Parts:
    head, *rest = re.split(r"\n\n(Args|Returns|Raises|Examples):\n", doc)
    sections = {title: inspect.cleandoc(f"\n{text}") for title, text in zip(rest[::2], rest[1::2], strict=True)}
    return _Parts(
        head=head.splitlines(),
        arguments=_entries(sections.get("Args", "")),
        returns=sections.get("Returns", "").splitlines(),
        raises=_entries(sections.get("Raises", "")),
        examples=sections.get("Examples", "").splitlines(),
    )


def _entries(text: str) -> dict[str, str]:
    entries = (entry.rstrip("\n") for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:])
    return {label: what for label, _, what in (entry.partition(": ") for entry in entries)}


def _add_remarks(own: _Parts, text: str) -> None:
    text, mark, example = text.partition(">>> ")
    if mark:
        own.examples = [mark + line if i == 0 else line for i, line in enumerate(example.rstrip().splitlines())]
    for line in text.splitlines():
        label, mark, what = line.partition(": ")
        if mark and re.fullmatch(r"\w+Error", label):
            own.raises[label] = what
        elif mark and label == "Returns":
            own.returns = [what]
        elif mark and re.fullmatch(r"\w+(, \w+)*", label):
            own.arguments = {label: what} | {n: old for n, old in own.arguments.items() if n != label}
        elif line:
            own.head += ["", line] if len(own.head) == 1 else [line]
