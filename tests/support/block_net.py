"""A network of two Blocks, whose lines bear marks by which tests name them."""

import re
from pathlib import Path

import numpy as np

from sporax import Tensor, nn, ops

HERE = str(Path(__file__))


def line_of(text: str, file: str = HERE) -> str:
    """Return `file:line` of the only line of a file that ends with a mark."""
    (number,) = [i for i, line in enumerate(Path(file).read_text().splitlines(), 1) if line.endswith(f"# {text}")]
    return f"{file}:{number}"


class Block(nn.Cell):
    """A Cell with a branch on a Tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(4, 4)

    def construct(self, x):
        x = self.fc(x)  # the dense layer
        if x.sum() > 0:
            x = ops.tanh(x)  # in the branch
        return x


class Net(nn.Cell):
    """Two Blocks in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.CellList([Block(), Block()])

    def construct(self, x, scale=1):
        for block in self.blocks:
            x = block(x)
        return ops.log(x * scale).sum()  # the end


X = Tensor(np.ones((2, 4), np.float32))


def rows(text: str, primitive: str) -> list[str]:
    """Return the lines of a graph's text that are of a primitive."""
    return [line for line in text.splitlines() if re.search(rf"= {primitive}\(", line)]
