"""What `mindspore._c_expression.security` tells of the library; MindSpore's own tests use it."""

from __future__ import annotations


def enable_security() -> bool:
    """Return False: nothing is left out of the library."""
    return False
