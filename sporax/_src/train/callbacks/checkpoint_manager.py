"""The checkpoint files of a training, for users' callbacks that save them."""

from __future__ import annotations

import os


class CheckpointManager:
    """The checkpoint files of one training, in the order in which they were written.

    Args:
        format: The ending of their names.
    """

    def __init__(self, format: str = "ckpt") -> None:
        self._format = format
        self._files: list[str] = []

    @property
    def ckpoint_filelist(self) -> list[str]:
        """The paths of the files."""
        return self._files

    @property
    def ckpoint_num(self) -> int:
        """How many there are."""
        return len(self._files)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Find the files of a folder that are named PREFIX-, then no letters, and the ending."""
        ending = f".{self._format}"
        names = [n for n in os.listdir(directory) if n.startswith(f"{prefix}-") and n.endswith(ending)]
        numbered = [n for n in names if not any(c.isalpha() for c in n[len(prefix) : -len(ending)])]
        self._files = [os.path.join(directory, n) for n in numbered]

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Delete a file.

        Raises:
            OSError: If it cannot be deleted.
            ValueError: If it is none of the files.
        """
        os.remove(file_name)
        self._files.remove(file_name)

    def remove_oldest_ckpoint_file(self) -> None:
        """Delete the file that was written first."""
        self.remove_ckpoint_file(min(self._files, key=os.path.getmtime))

    def keep_one_ckpoint_per_minutes(self, minutes: float, cur_time: float) -> None:
        """Delete the files of the last minutes except the first."""
        recent = [name for name in self._files if cur_time - os.path.getmtime(name) < 60 * minutes]
        for name in sorted(recent, key=os.path.getmtime)[1:]:
            self.remove_ckpoint_file(name)
