"""How the namespace `mint` is written down: torch's signature on the left, the call of a row of the op table on the right."""

from __future__ import annotations

import re
from typing import Any

from sporax._src.api.ops import PUBLIC


def _names(fn: Any) -> tuple[str, ...]:
    return fn.__code__.co_varnames[: fn.__code__.co_argcount + fn.__code__.co_kwonlyargcount]


def same(names: str) -> dict[str, Any]:
    """Return the rows that have torch's signature already."""
    return {name: PUBLIC[name] for name in names.split()}


def adapt(lines: str, extra: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the functions that lines such as `mean(input, dim=None) = mean(input, axis=dim)` describe.

    Names on the right are rows of the op table, or of `extra`.
    """
    scope = {**PUBLIC, **(extra or {})}
    views: dict[str, Any] = {}
    for line in lines.strip().splitlines():
        head, call = line.split(" -> ")
        name, source = head[: head.index("(")], call.strip()
        exec(compile(f"def {head.strip()}:\n    return {source}\n", f"<mint.{name}>", "exec"), scope, made := {})
        views[name] = made[name]
        rows = [row for row in re.findall(r"(\w+)\(", source) if row != "cast"]
        views[name].__doc__ = scope[rows[0]].__doc__
        known = getattr(scope[rows[0]], "__annotations__", {})
        views[name].__annotations__ = {n: kind for n, kind in known.items() if n in (*_names(views[name]), "return")}
    return views
