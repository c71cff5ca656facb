"""`mindspore.version`: the release that the process follows."""

from __future__ import annotations

from typing import Any

from sporax._src.base import release


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return release.followed()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
