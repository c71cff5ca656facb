"""The status of a converter's run."""

from __future__ import annotations

from enum import IntEnum


class MSRStatus(IntEnum):
    """The result of a run: success or failure."""

    SUCCESS = 0
    FAILED = 1


SUCCESS, FAILED = MSRStatus.SUCCESS, MSRStatus.FAILED
