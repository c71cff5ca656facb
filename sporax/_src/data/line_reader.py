"""LineReader: any line of a text, without reading those before it."""

from __future__ import annotations

import os
import re
from typing import Any

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks


class LineReader:
    """Gives single lines of a text in UTF-8; may be read by several threads at once.

    Args:
        filename (str): The file.

    Raises:
        TypeError: If `filename` is not a path.
        RuntimeError: If there is no such file.

    Examples:
        >>> import os, tempfile
        >>> from sporax.dataset.utils import LineReader
        >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("one\\ntwo\\n")
        >>> reader = LineReader(path)
        >>> reader.len(), reader.readline(2)
        (2, 'two')
        >>> reader.close()
    """

    def __init__(self, filename: str) -> None:
        if not isinstance(filename, (str, os.PathLike)):
            raise TypeError(f"LineReader: filename must be a path, got {describe(filename)}.")
        self.filename = os.path.realpath(filename)
        if not os.path.isfile(self.filename):
            raise RuntimeError(f"LineReader: there is no file {shown(os.fspath(filename))}.")
        self._offsets = [0]  # of the lines, and of the end
        with open(self.filename, "rb") as file:
            for line in file:
                self._offsets.append(self._offsets[-1] + len(line))
        self._handle: int | None = None

    def len(self) -> int:
        """Return the number of lines."""
        return len(self._offsets) - 1

    def __len__(self) -> int:
        return self.len()

    def readline(self, line: int) -> str:
        """Return a line without its end.

        Args:
            line (int): Its number; the first is 1.

        Raises:
            TypeError: If `line` is not an int.
            ValueError: If there is no such line.
        """
        checks.integer("LineReader.readline", "line", line, 1, self.len())
        if self._handle is None:
            self._handle = os.open(self.filename, os.O_RDONLY)
        start, end = self._offsets[line - 1 : line + 1]
        return re.split("[\r\n]", os.pread(self._handle, end - start, start).decode(), maxsplit=1)[0]

    def __getitem__(self, line: int) -> str:
        return self.readline(line)

    def close(self) -> None:
        """Close the file; reading opens it again."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_handle": None}  # a process that gets a copy opens the file itself

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()
