"""The error of `mindspore.numpy.utils_const` that mindscience (`sponge/control/controller.py`) raises."""

from __future__ import annotations

from typing import Any, NoReturn


def _raise_value_error(info: str, param: Any = None) -> NoReturn:
    """Raise ValueError that says `info`, and a value behind it."""
    raise ValueError(info if param is None else f"{info}{param}")
