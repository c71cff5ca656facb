"""What operators with a seed of their own draw, in three calls, in both modes."""

from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from .common import attempt, set_mode, write_json

NAMES = {"ms": ms, "ops": ops, "np": np, "Tensor": Tensor}

DRAWS = """
ops.RandomCategorical()(Tensor(np.zeros((2, 1000)), ms.float64), 5, 3)
ops.RandomCategorical(ms.int32)(Tensor(np.arange(8).reshape(2, 4), ms.float32), 6, 7)
ops.RandomCategorical(ms.int16)(Tensor(np.arange(8).reshape(2, 4), ms.float16), 6, -7)
ops.random_categorical(Tensor(np.zeros((1, 1000)), ms.float32), 700, 9)
ops.RandomChoiceWithMask(8, 5)(Tensor(np.arange(12) % 5 > 1))
ops.RandomChoiceWithMask(4, 0, 6)(Tensor(np.ones((3, 4), bool)))
ops.RandomChoiceWithMask(9, 5, 6)(Tensor(np.arange(100000) % 3 == 1))
ops.RandomShuffle(5)(Tensor(np.arange(11), ms.int32))
ops.RandomShuffle(0, 6)(Tensor(np.arange(12).reshape(6, 2), ms.float32))
ops.RandomShuffle(5, 6)(Tensor(np.arange(50000), ms.int32))[:20]
"""


def drawn(expression: str) -> Any:
    """Return what three calls of an operator draw: its first result, as a list."""

    def run() -> Any:
        made, _, called = expression.partition(")(")
        operator = eval(f"{made})", dict(NAMES)) if called else None
        text = f"operator({called}" if called else expression
        results = [eval(text, NAMES | {"operator": operator}) for _ in range(3 if called else 1)]
        return [(r[0] if isinstance(r, tuple) else r).asnumpy().tolist() for r in results]

    value, error = attempt(run)
    return {"error": error} if error is not None else value


def record(out: Path) -> None:
    """Write ``seeded_draws.json``."""
    set_mode("pynative")
    write_json(out / "seeded_draws.json", {line: drawn(line) for line in DRAWS.split("\n") if line})
