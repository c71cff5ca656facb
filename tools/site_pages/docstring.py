"""Docstrings as Markdown: a sentence, text, and sections such as Args, Raises and Examples."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

SECTION = re.compile(r"^([A-Z][A-Za-z ]+):$")
LISTS = ("Args", "Raises", "Attributes", "Keyword Args", "Returns", "Outputs")  # entries `name: text`
_ENTRY = re.compile(r"^(\*{0,2}[\w.`]+(?:, \*{0,2}[\w.`]+)*)( \([^)]*\))?: +(.*)$")
_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)


def markdown(text: str) -> str:
    """Return a docstring, without its indentation, as Markdown."""
    return "\n\n".join(part for part in _parts(text) if part) + "\n"


def _parts(text: str) -> Iterator[str]:
    title, lines = "", []
    for line in [*text.splitlines(), "End:"]:
        if found := SECTION.match(line):
            yield _section(title, textwrap.dedent("\n".join(lines)).strip("\n"))
            title, lines = found[1], []
        elif title and line and not line.startswith(" "):  # text after a section
            yield _section(title, textwrap.dedent("\n".join(lines)).strip("\n"))
            title, lines = "", [line]
        else:
            lines.append(line)


def _section(title: str, body: str) -> str:
    if not title:
        return prose(body)
    if not body:
        return ""
    if ">>> " in body:
        text = f"```pycon\n{body}\n```"
    elif title in LISTS and _ENTRY.match(body.splitlines()[0]):
        text = "\n".join(_entries(body))
    else:
        text = prose(body)
    return f"**{title}**\n\n{text}"


def _entries(body: str) -> Iterator[str]:
    """Give a list item for each entry; further lines of an entry are indented."""
    for line in body.splitlines():
        if found := _ENTRY.match(line):
            names = ", ".join(f"`{name.strip('`')}`" for name in found[1].split(", "))
            yield f"- {names}{escaped(found[2] or '')}: {escaped(found[3])}"
        else:
            yield f"  {escaped(line.strip())}"


def prose(text: str) -> str:
    """Return text with nothing that Markdown takes for a mark, but code and lists; blocks that are indented are code."""
    blocks = re.split(r"\n{2,}", text.strip("\n"))
    return "\n\n".join(block if block.startswith("    ") else escaped(block) for block in blocks)


def escaped(text: str) -> str:
    """Return text in which only code between backquotes and `**words**` are marks of Markdown."""
    done, at = [], 0
    for found in _CODE.finditer(text):
        done += [_plain(text[at : found.start()]), found[0]]
        at = found.end()
    return "".join([*done, _plain(text[at:])])


def _plain(text: str) -> str:
    bold = re.split(r"(\*\*\w+\*\*)", text)  # as in the section Inputs
    return "".join(
        part if place % 2 else re.sub(r"([\\*_\[\]<>#|`])", r"\\\1", part) for place, part in enumerate(bold)
    )
