"""What programs import from `mindspore.train.callback` to save checkpoints in their own way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any


def set_cur_net(net: Any) -> None:
    """Do nothing: MindSpore keeps the network that a graph on Ascend writes Parameters into; here a graph has none of its own."""


def checkpoint_cb_for_save_op(parameter_list: Any) -> bool:
    """Return False: no graph writes Parameters back into a network, which has them itself."""
    return False


def destroy_allgather_cell() -> None:
    """Do nothing: no Cell is kept that gathers the pieces of Parameters."""


def _get_pp_size_from_redundancy_map(param_redundancy: Mapping[str, Any]) -> int | None:
    """Return how many processes have a Parameter, or equal pieces of it; None if there is none.

    Args:
        param_redundancy: By Parameter the groups of processes, as `get_parameter_redundancy` returns them.
    """
    return next((len(groups) * len(groups[0]) for groups in param_redundancy.values()), None)


class CheckpointManager:
    """The checkpoint files of one training, oldest first by when they were written.

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
        """Delete the files of the last minutes but the first of them."""
        recent = [name for name in self._files if cur_time - os.path.getmtime(name) < 60 * minutes]
        for name in sorted(recent, key=os.path.getmtime)[1:]:
            self.remove_ckpoint_file(name)
