"""What programs ask of `mindspore.communication._comm_helper`."""

from __future__ import annotations

from typing import ClassVar

from sporax.communication import GlobalComm


def _is_initialized() -> bool:
    """Return whether `init` was called."""
    return bool(GlobalComm.INITED)


class _ExistingGroup:
    """Where MindSpore's groups are kept that its library has made; programs empty it."""

    ITEMS: ClassVar[dict[str, object]] = {}
