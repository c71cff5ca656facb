"""The messages of files of strategies, built when one is asked for."""

from __future__ import annotations

import importlib
from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    messages = importlib.import_module("sporax._src.compat.legacy.strategy_messages").CLASSES
    if name not in messages:
        raise AttributeError(f"module 'node_strategy_pb2' has no attribute {name!r}")
    return messages[name]
