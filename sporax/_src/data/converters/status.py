"""The status of a converter's run."""

from __future__ import annotations

from enum import IntEnum


class MSRStatus(IntEnum):
    """Whether a run has succeeded."""

    SUCCESS = 0
    FAILED = 1


SUCCESS, FAILED = MSRStatus.SUCCESS, MSRStatus.FAILED
