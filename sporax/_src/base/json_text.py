"""JSON out of files that anyone may have written."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """Return what JSON says.

    Raises:
        ValueError: If `text` is no JSON, or is nested deeper than Python's stack.

    Examples:
        >>> parse_json('{"a": [1]}')
        {'a': [1]}
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("its JSON is nested too deep") from None
