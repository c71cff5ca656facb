"""The disk cache of converted modules, in a folder of the compile cache."""

from __future__ import annotations

from contextlib import suppress

from sporax._src.base import config
from sporax._src.base.compile_cache import CompileCache

FOLDER = "converted"
_MOST = 2**30  # bytes


class DiskCache:
    """Bytes by key. A damaged entry is absent, and so is every entry if the compile cache is turned off."""

    def __init__(self) -> None:
        folder = config.cache_dir()
        self._files = None if folder is None else CompileCache(folder / FOLDER, _MOST)

    def get(self, key: str) -> bytes | None:
        """Return the bytes of a key, or None."""
        return self._files.get(key) if self._files is not None else None

    def put(self, key: str, value: bytes) -> None:
        """Keep bytes under a key, unless the folder cannot be written."""
        with suppress(OSError):
            if self._files is not None:
                self._files.put(key, value)
