"""What programs ask of `mindspore.communication._comm_helper`; mindformers does, in eight files."""

from __future__ import annotations

from sporax.communication import GlobalComm


def _is_initialized() -> bool:
    """Return whether `init` was called."""
    return bool(GlobalComm.INITED)
