"""Views that only forward, as lines of a table: a signature on the left, the call of a row on the right.

    mean(input, dim=None, keepdim=False) -> mean(input, axis=dim, keep_dims=keepdim)

A line becomes a function with exactly that signature. Its text and the meaning of its parameters are those of the first row
that it calls.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def adapt(lines: str, scope: Mapping[str, Any], namespace: str) -> dict[str, Any]:
    """Return the functions that lines describe, by name.

    Args:
        lines: `name(parameters) -> expression`, one a line.
        scope: What the names on the right stand for.
        namespace: Where the functions are found, for tracebacks.
    """
    made: dict[str, Any] = {}
    for line in lines.strip().splitlines():
        head, expression = (part.strip() for part in line.split(" -> "))
        fn = forwarding(head, expression, scope, namespace)
        made[fn.__name__] = _as_row(fn, scope[next(row for row in re.findall(r"(\w+)\(", expression) if row != "cast")])
    return made


def forwarding(head: str, expression: str, scope: Mapping[str, Any], namespace: str) -> Any:
    """Return the function of this head that gives the expression; its frames count as sporax's own."""
    name = head[: head.index("(")]
    code = compile(f"def {head}:\n    return {expression}\n", f"<op {namespace}.{name}>", "exec")
    exec(code, dict(scope), made := {})
    return made[name]


def _as_row(fn: Any, row: Any) -> Any:
    code = fn.__code__
    names = (*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], "return")
    fn.__doc__ = row.__doc__
    fn.__annotations__ = {n: kind for n, kind in getattr(row, "__annotations__", {}).items() if n in names}
    return fn
