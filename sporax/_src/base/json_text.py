"""Parsing of JSON from untrusted files."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes, *, unique: bool = False) -> Any:
    """Return the value of a JSON text.

    Args:
        text: The JSON.
        unique: Whether the names of an object must differ; otherwise the last of equal ones counts.

    Raises:
        ValueError: If `text` is no JSON, is nested deeper than Python's stack, or has a name twice that must be unique.

    Examples:
        >>> parse_json('{"a": [1]}')
        {'a': [1]}
    """
    try:
        return json.loads(text, object_pairs_hook=_of_different_names if unique else None)
    except RecursionError:
        raise ValueError("its JSON is nested too deep") from None


def _of_different_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {next(n for n in names if names.count(n) > 1)!r} comes twice")
    return entries
