"""THOR's records, and what their expressions may use."""

import json
from pathlib import Path

import numpy as np

import sporax as ms
from sporax import Tensor, nn
from sporax.train import ConvertModelUtils, ConvertNetUtils

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "thor.json").read_text(encoding="utf-8"))


class Net(nn.Cell):
    """An empty Cell."""


class Block(nn.Cell):
    """A Cell with a layer in it, and one below that."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 3)
        self.more = nn.SequentialCell(nn.Dense(3, 3), nn.Tanh())


SCOPE = {
    "nn": nn, "ms": ms, "np": np, "Tensor": Tensor, "Net": Net, "Block": Block,
    "ConvertModelUtils": ConvertModelUtils, "ConvertNetUtils": ConvertNetUtils,
}  # fmt: skip
RATE = Tensor([0.1, 0.1, 0.1, 0.1], ms.float32)
