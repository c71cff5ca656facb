"""Recordings and comparisons made by hand."""

from typing import Any

import numpy as np

from sporax._src.migrate.compare.recorder import Recording
from sporax._src.migrate.compare.report import Comparison, Row

LAYER = {"kind": "Linear", "library": True, "settings": {}, "source": []}


def recording(calls: list[tuple[str, int, float, float]], **about: Any) -> Recording:
    """Return a recording of one pass: of each call the path, the depth, and the numbers that enter and leave."""
    arrays, rows, count = {"given/0": np.ones(2, np.float32)}, [], {}
    for i, (path, depth, entering, leaving) in enumerate(calls):
        count[path] = count.get(path, 0) + 1
        arrays[f"forward/{i}/inputs/0"] = np.full(2, entering, np.float32)
        arrays[f"forward/{i}/outputs/0"] = np.full(2, leaving, np.float32)
        rows.append(
            {"path": path, "call": count[path], "depth": depth, "random": False, "inputs": ["float32"], "outputs": ["float32"]}
        )  # fmt: skip
    known = {"framework": "torch", "version": "2", "net": "Net", "loss": None, "optimizer": None, "parameters": {}}
    layers = {path: LAYER for path, *_ in calls}
    return Recording({**known, "layers": layers, "passes": {"forward": rows}, **about}, arrays)


def comparison(*rows: Row, **found: Any) -> Comparison:
    """Return the comparison with some rows."""
    known = {
        "first_difference": None,
        "stage": None,
        "cause": None,
        "reference": "Net (torch 2)",
        "candidate": "Net (sporax)",
    }
    return Comparison(**{**known, **found}, rows=rows)
