"""Adapters that only forward, as lines of a table: a signature on the left, the call of a row on the right.

    mean(input, dim=None, keepdim=False) -> mean(input, axis=dim, keep_dims=keepdim)

A line becomes a function with exactly that signature. The rest comes from the row that it calls: the docstring, with the adapter's
parameter names, and the annotation of each parameter that is forwarded unchanged. Several names may precede one signature. A name
without a signature is a property. Indented lines add to the row's docstring:

    T -> transpose(self, reversed_axes(self))
        The Tensor with its axes in reverse order.                 (a summary in place of the row's)
    sort(dim=-1, stable=False) -> sort(self, dim)
        stable: Accepted: the order is always stable.              (an argument; likewise an error, what it returns, an example)
    reshape(*sizes, shape=None) -> reshape(self, sizes if shape is None else shape)
        (shape: Shape)                                             (a way to call it, see `call_errors.forms`)
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sporax._src.bindings.docstrings import Forwarding, docstring


class View(NamedTuple):
    """The adapter of a line; `forms` are further ways to call it, which the signature does not express."""

    names: Sequence[str]
    function: Any
    is_property: bool
    forms: Sequence[str]


class _Line(NamedTuple):
    names: list[str]
    parameters: str | None
    expression: str
    notes: list[str]
    example: list[str]


def adapt(lines: str, rows: Mapping[str, Any], namespace: str, **options: Any) -> dict[str, Any]:
    """Return the functions of lines, by name; the arguments are those of `views`."""
    return {name: view.function for view in views(lines, rows, namespace, **options) for name in view.names}


def views(
    lines: str,
    rows: Mapping[str, Any],
    namespace: str,
    helpers: Mapping[str, Any] = MappingProxyType({}),
    operand: str = "",
) -> Iterator[View]:
    """Yield the adapters of lines.

    Args:
        lines: `names(parameters) -> expression` from the first column on, each with its indented lines.
        rows: The functions that expressions call, by name.
        namespace: The module of the adapters, for tracebacks.
        helpers: The values of further names in expressions.
        operand: The first parameter of each adapter, which lines leave out.

    Raises:
        ValueError: If an expression calls no row.
    """
    parsed = [_parsed(*block.splitlines()) for block in re.split(r"\n(?=\S)", lines.strip())]
    tree = ast.parse("\n".join([_source(line, operand) for line in parsed]))
    scope = {"__name__": f"sporax.{namespace}", **rows, **helpers}
    exec(compile(tree, f"<op {namespace}>", "exec"), scope, functions := {})  # compiling one line takes as long
    for line, definition in zip(parsed, tree.body, strict=True):
        assert isinstance(definition, ast.FunctionDef)
        function = functions[definition.name]
        row, call = _call_of_row(definition, rows, helpers)
        forms = [note[1:-1] for note in line.notes if note.startswith("(")]
        texts = [note for note in line.notes if not note.startswith("(")] + line.example
        _describe(function, definition.args, rows[row], call, operand, texts)
        yield View(line.names, function, line.parameters is None, forms)


def _parsed(line: str, *rest: str) -> _Line:
    head, expression = line.split(" -> ", 1)
    names, _, parameters = head.partition("(")
    notes = textwrap.dedent("\n".join(rest)).splitlines()
    start = next((i for i, note in enumerate(notes) if note.startswith(">>> ")), len(notes))
    return _Line(names.split(", "), parameters[:-1] if parameters else None, expression, notes[:start], notes[start:])


def _source(line: _Line, operand: str) -> str:
    parameters = ", ".join([part for part in (operand, line.parameters) if part])
    return f"def {line.names[0]}({parameters}): return {line.expression}"


def _call_of_row(
    definition: ast.FunctionDef, rows: Mapping[str, Any], helpers: Mapping[str, Any]
) -> tuple[str, ast.Call]:
    """Return the outermost call of a row, and the name of the row."""
    for node in ast.walk(definition.body[0]):
        match node:
            case ast.Call(ast.Name(name)) if name in rows and name not in helpers:
                return name, node
    raise ValueError(f"the line of {definition.name} calls no row.")


def _describe(
    function: object, arguments: ast.arguments, row: Any, call: ast.Call, operand: str, notes: Sequence[str]
) -> None:
    """Set the docstring and the annotations of an adapter from its row."""
    annotations: dict[str, Any] = getattr(row, "__annotations__", {})
    code = getattr(row, "raw", row).__code__
    expected = [n for n in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if annotations.get(n) != "Key"]
    bound = dict(zip(expected, call.args, strict=False)) | {str(word.arg): word.value for word in call.keywords}
    sources = {name: _names(bound.get(name)) for name in expected}
    unchanged = {name: _forwarded(bound.get(name)) for name in expected}
    listed = [*arguments.args, arguments.vararg, *arguments.kwonlyargs]
    parameters = [parameter.arg for parameter in listed if parameter]
    for name, annotation in annotations.items():
        for parameter in unchanged.get(name, set()) & {*parameters} - {operand}:
            function.__annotations__.setdefault(parameter, annotation)
    if "return" in annotations:
        function.__annotations__["return"] = annotations["return"]
    function.__doc__ = docstring(row.__doc__, Forwarding(parameters, operand, sources, unchanged), notes)


def _names(value: ast.expr | None) -> set[str]:
    """Return all names in an expression."""
    if value is None or isinstance(value, (ast.Name, ast.Constant)):  # the common case, without a walk
        return _forwarded(value)
    return {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}


def _forwarded(value: ast.expr | None) -> set[str]:
    """Return the names that an expression may return unchanged: `a`, `a or b`, `a if c else b`."""
    match value:
        case ast.Name(name):
            return {name}
        case ast.IfExp(_, one, other):
            return _forwarded(one) | _forwarded(other)
        case ast.BoolOp(_, values):
            return {name for each in values for name in _forwarded(each)}
    return set()
