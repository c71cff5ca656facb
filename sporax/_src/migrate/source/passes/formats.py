"""Text of values: MindSpore does not format a Tensor of one element as a number, and writes dtypes differently.

f"{loss:.4f}"         ->  f"{_number(loss):.4f}"
"{:.4f}".format(loss) ->  "{:.4f}".format(_number(loss))
str(x.dtype)          ->  _text(x.dtype)
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator

from sporax._src.migrate.source.context import Pass
from sporax._src.migrate.torch_map.rows import TENSOR

_FLOAT = re.compile(r"[eEfFgG%]$")
_DTYPE = "dtype"
_NUMBERS = ("item", "tolist", "time", "perf_counter")  # methods and functions that give numbers


class Formats(Pass):
    """Rewrites values that are formatted as numbers, and dtypes that become text."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> str:
        for value in node.values:
            self.context.visit(value)
        self._format_numbers(node)
        self._turn_quotes(node)
        return "str"

    def _turn_quotes(self, node: ast.JoinedStr) -> None:
        """Change the quotes of strings inside an f-string, so that they do not end it."""
        start, end = self.source.start(node), self.source.end(node)
        own = self.source.data[end - 1 : end].decode()
        other = "'" if own == '"' else '"'
        for edit in self.edits.take(start, end):
            text = edit.text if other in edit.text else edit.text.replace(own, other)
            self.edits.add(edit.start, edit.end, text)

    def leave_Call(self, node: ast.Call) -> None:
        self._format_numbers(node)
        name = node.func.id if isinstance(node.func, ast.Name) and len(node.args) == 1 else ""
        if name in ("str", "repr") and not self.scopes.path(node.func):
            value = node.args[0]
            kind = self.context.kind_of(value)
            if kind == _DTYPE or (name == "str" and not kind and _is_named(value, _DTYPE)):
                self.rewriter.replace(node.func, self.imports.name("_text"))

    def _format_numbers(self, node: ast.expr) -> None:
        """Convert Tensors that are formatted as numbers to numbers."""
        for value in _formatted(node):
            if _may_be_tensor(value, self.context.kind_of(value)):
                self.rewriter.wrap(value, f"{self.imports.name('_number')}(", ")")


def _formatted(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that an f-string, or a call of a string's `format`, formats as floats."""
    if isinstance(node, ast.JoinedStr):
        for part in node.values:
            if (
                isinstance(part, ast.FormattedValue)
                and part.conversion == -1
                and isinstance(part.format_spec, ast.JoinedStr)
            ):
                last = part.format_spec.values[-1:]
                if last and isinstance(last[0], ast.Constant) and _FLOAT.search(str(last[0].value)):
                    yield part.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text = node.func.value
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            fields = [(name, spec) for _, name, spec, _ in string.Formatter().parse(text.value) if name is not None]
            arguments: dict[str, ast.expr] = {str(i): value for i, value in enumerate(node.args)}
            arguments |= {str(k.arg): k.value for k in node.keywords}
            for i, (name, spec) in enumerate(fields):
                value = arguments.get(name or str(i))
                if value is not None and _FLOAT.search(spec or "") and not isinstance(value, ast.Starred):
                    yield value


def _may_be_tensor(node: ast.expr, kind: str) -> bool:
    """Return whether an expression of a kind may be a Tensor, as far as its text shows."""
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return kind == TENSOR or (not kind and not isinstance(node, ast.Constant) and name not in _NUMBERS)


def _is_named(node: ast.expr, word: str) -> bool:
    """Return whether the name, attribute or key that an expression reads has a word in it."""
    last = node.slice if isinstance(node, ast.Subscript) else node
    name = last.attr if isinstance(last, ast.Attribute) else last.id if isinstance(last, ast.Name) else ""
    return word in (str(last.value) if isinstance(last, ast.Constant) else name)
