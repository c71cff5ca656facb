"""A plugin of pytest: tests keep the ids that they have under NumPy 1, so that lists of ids and `-k` still find them."""

from __future__ import annotations

import numpy as np


def pytest_make_parametrize_id(config: object, val: object, argname: str) -> str | None:
    """Call `np.bool_` what NumPy 1 calls it; NumPy 2 says `bool`. Every other value has pytest's own id."""
    return "bool_" if val is np.bool_ else None
