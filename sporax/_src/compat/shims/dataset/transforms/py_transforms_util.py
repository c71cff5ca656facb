"""What an operation runs in, as `mindspore.dataset.transforms.py_transforms_util` names it.

mindnlp and mindocr import it from `dataset.text.transforms`.
"""

from __future__ import annotations

from enum import IntEnum


class Implementation(IntEnum):
    """What an operation runs in, which programs set as `implementation`; here all run in Python."""

    C = 0
    PY = 1
