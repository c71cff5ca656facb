"""What `mindspore.parallel._recovery_context` says of recovered runs; a repository of the census asks for it."""

from __future__ import annotations

from typing import Any

_RECOVERY = {
    "enable_recovery": False,
    "enable_repeat_register": False,
    "latest_ckpt_file": "",
    "latest_ckpt_epoch": -1,
    "latest_ckpt_step": -1,
    "need_reset": False,
    "recovery_path": "",
    "is_arf": False,
    "is_reboot_node": False,
}
"""What MindSpore says where no run is recovered, which it never is here by itself; `ResumeFrom` goes on from a file."""


def _get_recovery_context(attr_key: str) -> Any:
    """Return an option of recovered runs.

    Raises:
        ValueError: If it is unknown.
    """
    if attr_key not in _RECOVERY:
        raise ValueError(f"Get recovery context keyword {attr_key} is not recognized!")
    return _RECOVERY[attr_key]
