"""MindSpore's files of the checkpoint formats."""

from pathlib import Path

import numpy as np

GOLDENS = Path(__file__).parents[1] / "goldens" / "checkpoint_formats"


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
