"""References for operators about the program."""

from __future__ import annotations

import numpy as np

from sporax._src.core import dtype as mstype


def first(x, *args):
    return x


def mixed_precision_cast(dtype, x):
    if isinstance(x, tuple):
        return tuple(mixed_precision_cast(dtype, v) for v in x)
    return x.astype(mstype.to_numpy(dtype)) if np.issubdtype(x.dtype, np.floating) else x
