"""A script that records a Cell under MindSpore on a machine without sporax."""

from __future__ import annotations

import ast
import inspect

from sporax._src.migrate import loading
from sporax._src.migrate.compare import cell_recorder, recorder


def script() -> str:
    """Return the text of the script: the recorder and its command in one file, which needs only NumPy and MindSpore."""
    parts = [inspect.getsource(recorder), *(own_lines(inspect.getsource(part)) for part in (loading, cell_recorder))]
    return "\n\n".join(parts)


def own_lines(text: str) -> str:
    """Return a module's text without its docstring and its imports of sporax and `__future__`."""
    gone = {
        line
        for node in ast.parse(text).body
        if isinstance(node, ast.Expr)
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("sporax", "__future__"))
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = [line for number, line in enumerate(text.splitlines(), 1) if number not in gone]
    return "\n".join(lines).strip() + "\n"
