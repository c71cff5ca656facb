"""What programs ask of `mindspore.communication._comm_helper`; mindformers does, in eight files, and mindnlp (`mindtorch`)."""

from __future__ import annotations

from typing import Any

from sporax._src.base.errors import describe
from sporax.communication import GlobalComm


class Backend(str):
    """The checked name of a library of collective operators, in small letters.

    Raises:
        TypeError: If it is no string.
        ValueError: If there is no such library.
    """

    UNDEFINED = "undefined"
    HCCL = "hccl"
    NCCL = "nccl"
    MCCL = "mccl"

    def __new__(cls, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError(f"Backend: name must be a string, got {describe(name)}.")
        if name.lower() not in (cls.HCCL, cls.NCCL, cls.MCCL):
            raise ValueError(f"Backend: name must be 'hccl', 'nccl' or 'mccl', got {name!r}.")
        return name.lower()


def _is_initialized() -> bool:
    """Return whether `init` was called."""
    return bool(GlobalComm.INITED)
