"""The folder maker of `mindspore.train._utils`; mindscience and mindrl import it."""

from __future__ import annotations

from pathlib import Path


def _make_directory(path: str, arg_name: str = "path") -> str:
    """Make a folder and return its absolute path."""
    if not isinstance(path, str) or not path:
        raise TypeError(f"The argument '{arg_name}' must be a non-empty string, got {path!r}.")
    folder = Path(path).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)
