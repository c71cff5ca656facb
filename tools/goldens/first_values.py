"""The weights that layers begin with after `set_seed`, as check sums, and what NumPy draws afterwards."""

import zlib
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import mint, nn
from mindspore.common.initializer import Normal, initializer

from .common import attempt, set_mode, write_json

NAMES = {"ms": ms, "mint": mint, "nn": nn, "Normal": Normal, "initializer": initializer}

LAYERS = """
nn.Dense(3, 5)
nn.Dense(3, 5, weight_init='normal', bias_init='zeros')
nn.Dense(3, 5, dtype=ms.float16)
nn.BiDense(3, 4, 5)
nn.Conv1d(3, 4, 3, has_bias=True)
nn.Conv2d(3, 4, 3)
nn.Conv2d(3, 4, 3, has_bias=True)
nn.Conv2d(3, 4, 3, weight_init='truncatednormal', has_bias=True, bias_init='normal')
nn.Conv3d(3, 4, 3, has_bias=True)
nn.Conv1dTranspose(3, 4, 3, has_bias=True)
nn.Conv2dTranspose(3, 4, 3, has_bias=True)
nn.Conv3dTranspose(3, 4, 3, has_bias=True)
nn.Embedding(7, 3)
nn.EmbeddingLookup(7, 3)
nn.BatchNorm2d(4)
nn.LayerNorm((4,))
nn.PReLU()
nn.RNN(3, 4)
nn.GRU(3, 4, has_bias=False)
nn.LSTM(3, 4, 2, bidirectional=True)
nn.RNNCell(3, 4)
nn.GRUCell(3, 4)
nn.LSTMCell(3, 4, has_bias=False)
nn.MultiheadAttention(8, 2)
nn.MultiheadAttention(8, 2, kdim=4, vdim=6)
nn.TransformerEncoderLayer(8, 2, 16)
nn.TransformerDecoderLayer(8, 2, 16)
nn.Transformer(8, 2, 1, 1, 16)
nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Dense(8, 2))
mint.nn.Linear(3, 5)
mint.nn.Conv2d(3, 4, 3)
mint.nn.Conv3d(3, 4, 3)
mint.nn.ConvTranspose2d(3, 4, 3)
mint.nn.Embedding(7, 3)
ms.Parameter(initializer(Normal(0.02), (4, 6), ms.float16), name='w')
ms.Parameter(initializer('orthogonal', (6, 4)), name='w')
"""


def drawn(expression: str) -> dict[str, Any]:
    """Return the check sum of each of a layer's Parameters, and NumPy's next number."""

    def run() -> dict[str, Any]:
        ms.set_seed(5)
        made = eval(expression, dict(NAMES))
        parameters = made.get_parameters() if isinstance(made, nn.Cell) else [made]
        return {"weights": {p.name: zlib.crc32(p.asnumpy().tobytes()) for p in parameters}, "next": np.random.rand()}

    value, error = attempt(run)
    return {"error": error} if error is not None else value


def record(out: Path) -> None:
    """Write ``first_values.json``."""
    set_mode("pynative")
    write_json(out / "first_values.json", {line: drawn(line) for line in LAYERS.split("\n") if line})
