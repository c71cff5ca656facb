"""The entries of the map for one name, of torch or of MindSpore."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from sporax._src.migrate.source import calls
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.torch_map.expressions import dotted, is_same_call
from sporax._src.migrate.torch_map.names import canonical
from sporax._src.migrate.torch_map.rows import SAMPLES, Row, every_row, shown

SCHEMA = 1
_FLOATS = (
    "MindSpore's function raises for integers; the converter writes .float() where a Tensor is known to hold integers"
)
STATES = ("identical", "renamed", "different", "missing")


@dataclass(frozen=True)
class Entry:
    """A row of the map, in a form for users.

    Args:
        torch: The name and signature in torch.
        mindspore: The converted expression.
        state: "identical" (the same arguments), "renamed", "different" (the result or the call differs), "missing".
        arguments: Pairs of torch's argument and its conversion.
        differs: How the result differs, in sentences.
        notes: What is different in MindSpore, and is converted or raises.
        example: An example in torch and converted; both "" if the map has none.
    """

    torch: str
    mindspore: str
    state: str
    arguments: tuple[tuple[str, str], ...]
    differs: tuple[str, ...]
    notes: tuple[str, ...]
    example: tuple[str, str]


def find(name: str, target: str = "mint") -> list[Entry]:
    """Return the entries for a name of torch (`torch.cat`) or of MindSpore (`mindspore.mint.cat`, `ops.cat`).

    Args:
        name: The name; `torch.` and `mindspore.` may be left out.
        target: "mint" or "classic".
    """
    rows = [
        row
        for known in (name, f"torch.{name}", f"torch.Tensor.{name}")
        for row in every_row().get(canonical(known), ())
    ]
    if not rows:
        wanted = name.removeprefix("mindspore.").removeprefix("sporax.")
        leaf = wanted.rpartition(".")[2]  # to parse every row takes half a second
        rows = [row for row in _every() if leaf in f"{row.target} {row.classic}" and wanted in _callees(row)]
    return [entry(row, target) for row in dict.fromkeys(rows)]


def torch_names() -> dict[str, list[str]]:
    """Return for each name of MindSpore (`ops.concat`, `Tensor.sum`) the names of torch that are converted to it."""
    found: dict[str, set[str]] = {}
    for row in _every():
        for name in _callees(row):
            found.setdefault(name, set()).add(row.name)
    return {name: sorted(names) for name, names in found.items()}


def close_matches(name: str, count: int = 5) -> list[str]:
    """Return the names of the map that are most like a name."""
    names = [*every_row()]
    wanted = name if name.startswith("torch") else f"torch.{name}"
    same = [known for known in names if known.rpartition(".")[2].lower() == name.rpartition(".")[2].lower()]
    return list(dict.fromkeys([*same, *difflib.get_close_matches(wanted, names, count, 0.6)]))[:count]


def _every() -> Iterator[Row]:
    for rows in every_row().values():
        yield from rows


def _callees(row: Row) -> set[str]:
    """Return the names of MindSpore that a row's right sides call."""
    names = set()
    for text in (row.target, row.classic):
        for node in walk(ast.parse(text, mode="eval")) if text else ():
            path = dotted(node) if isinstance(node, (ast.Attribute, ast.Name)) else ""
            names |= {path, path.replace("self.", "Tensor.", 1), path.removeprefix("mindspore.")}
    return names - {""}


def entry(row: Row, target: str = "mint") -> Entry:
    """Return a row in a form for users."""
    signature = shown(row.parameters) if row.parameters is not None else None
    written = row.classic if target == "classic" and row.classic else row.target
    return Entry(
        torch=row.name if signature is None else f"{row.name}({signature})",
        mindspore=row.rewritten or written or f"none: {row.missing}",
        state=state(row, target),
        arguments=tuple(_arguments(row, target)) if row.target else (),
        differs=row.differs,
        notes=(*row.notes, *([_FLOATS] if row.floats else [])),
        example=_example(row, target),
    )


def state(row: Row, target: str = "mint") -> str:
    """Return how much a row's two sides differ: one of `STATES`."""
    if row.missing:
        return "missing"
    if row.differs or row.rewritten:
        return "different"
    expression = row.expression(target)
    same_name = row.name.rpartition(".")[2]
    if row.parameters is None:
        return "identical" if dotted(expression).rpartition(".")[2] == same_name else "renamed"
    if isinstance(expression, ast.Call) and is_same_call(expression, row):
        return "identical" if dotted(expression.func).rpartition(".")[2] == same_name else "renamed"
    return "renamed" if isinstance(expression, ast.Call) and dotted(expression.func) else "different"


def _arguments(row: Row, target: str) -> Iterator[tuple[str, str]]:
    expression = row.expression(target)
    passed = {}
    if isinstance(expression, ast.Call):
        for value in expression.args:
            passed |= {n.id: ast.unparse(value) for n in walk(value) if isinstance(n, ast.Name)}
        for keyword in expression.keywords:
            text = f"{keyword.arg}={ast.unparse(keyword.value)}"
            passed |= {n.id: text for n in walk(keyword.value) if isinstance(n, ast.Name)}
    used = {n.id for n in walk(expression) if isinstance(n, ast.Name)}
    for p in row.parameters or ():
        if p.name in passed:
            became = passed[p.name]
            yield (
                p.name,
                "the same"
                if became in (p.name, f"{p.name}={p.name}")
                else became.replace("=+", "=")
                + (f" (written out: torch's default is {p.default})" if "+" in became else ""),
            )
        elif p.name in used:
            yield p.name, "see the expression"
        elif p.name == "out":
            yield p.name, "the result is assigned to it"
        else:
            yield p.name, "left out" if p.name in row.drop or p.name in calls.IGNORED else f"none, but for {p.default}"


def _example(row: Row, target: str) -> tuple[str, str]:
    if not row.examples:
        return "", ""
    example = row.examples[0].replace("; ", "\n")
    converted = convert(f"{SAMPLES}# example\n{example}\n", row.name, target).text
    return example, converted.partition("# example\n")[2].rstrip("\n")
