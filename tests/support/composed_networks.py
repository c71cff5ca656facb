"""Networks composed of blocks by a seed, on (8, 8, 16) arrays: all axes can be cut over eight devices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import sporax as ms
from sporax import nn, ops

BATCH, LENGTH, WIDTH, HEADS = 8, 8, 16, 4


def weight(draw: np.random.Generator, *shape: int) -> ms.Tensor:
    """Return a weight whose products have the scale of what they multiply."""
    return ms.Tensor((draw.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32))


def dense(draw: np.random.Generator, cin: int, cout: int) -> nn.Dense:
    """Return a dense layer with drawn weights."""
    return nn.Dense(cin, cout, weight(draw, cout, cin), weight(draw, cout))


class Feed(nn.Cell):
    """Two dense layers with a GELU between, beside the identity."""

    def __init__(self, draw: np.random.Generator) -> None:
        super().__init__()
        self.up, self.down, self.act = dense(draw, WIDTH, 32), dense(draw, 32, WIDTH), nn.GELU()

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return x + self.down(self.act(self.up(x)))


class Attention(nn.Cell):
    """Attention of several heads."""

    def __init__(self, draw: np.random.Generator) -> None:
        super().__init__()
        self.qkv, self.out = dense(draw, WIDTH, 3 * WIDTH), dense(draw, WIDTH, WIDTH)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        q, k, v = ops.split(self.qkv(x), WIDTH, -1)
        q, k, v = [t.reshape(BATCH, LENGTH, HEADS, -1).transpose(0, 2, 1, 3) for t in (q, k, v)]
        mixed = ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * 0.5, -1), v)
        return x + self.out(mixed.transpose(0, 2, 1, 3).reshape(BATCH, LENGTH, WIDTH))


class Convolved(nn.Cell):
    """A convolution over the positions, in groups or not, with batch normalization."""

    def __init__(self, draw: np.random.Generator) -> None:
        super().__init__()
        groups = int(draw.choice([1, 4, WIDTH]))
        kernel = weight(draw, WIDTH, WIDTH // groups, 3)
        self.conv = nn.Conv1d(WIDTH, WIDTH, 3, group=groups, weight_init=kernel)
        self.norm = nn.BatchNorm1d(WIDTH)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return x + self.norm(self.conv(x.swapaxes(1, 2))).swapaxes(1, 2)


class Images(nn.Cell):
    """A convolution of images made of the channels, and pooling."""

    def __init__(self, draw: np.random.Generator) -> None:
        super().__init__()
        self.conv = nn.Conv2d(
            LENGTH, LENGTH, 3, pad_mode="pad", padding=1, weight_init=weight(draw, LENGTH, LENGTH, 3, 3)
        )
        self.pool = nn.AvgPool2d(2, 2) if draw.random() < 0.5 else nn.MaxPool2d(2, 2)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        small = self.pool(ops.relu(self.conv(x.reshape(BATCH, LENGTH, 4, 4))))
        return x + ops.tile(small.reshape(BATCH, LENGTH, 4), (1, 1, 4))


class Recurrent(nn.Cell):
    """A GRU along the positions."""

    def __init__(self, draw: np.random.Generator) -> None:
        super().__init__()
        self.gru = nn.GRU(WIDTH, WIDTH, batch_first=True)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return x + self.gru(x)[0]


class Looked(nn.Cell):
    """Rows of a table by the places of the largest elements."""

    def __init__(self, draw: np.random.Generator) -> None:
        super().__init__()
        self.table = nn.Embedding(WIDTH, WIDTH, embedding_table=weight(draw, WIDTH, WIDTH))

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return x + self.table(x.argmax(-1).astype(ms.int32))


class Normed(nn.Cell):
    """A layer normalization, or one of groups of channels."""

    def __init__(self, draw: np.random.Generator) -> None:
        super().__init__()
        self.is_grouped = bool(draw.random() < 0.5)
        self.norm = nn.GroupNorm(4, LENGTH) if self.is_grouped else nn.LayerNorm((WIDTH,))

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return self.norm(x.expand_dims(-1)).squeeze(-1) if self.is_grouped else self.norm(x)


class Turned(nn.Cell):
    """Shapes that come and go: joins, cuts, sums along axes, cumulated sums."""

    def __init__(self, draw: np.random.Generator) -> None:
        super().__init__()
        self.axis = int(draw.integers(3))

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        first, second = ops.chunk(x, 2, self.axis)
        whole = ops.cat((second, first), self.axis) + x.mean(self.axis, keep_dims=True)
        return ops.tanh(whole + ops.cumsum(x, self.axis) * 0.1)


BLOCKS: tuple[Callable[[np.random.Generator], nn.Cell], ...] = (
    Feed, Attention, Convolved, Images, Recurrent, Looked, Normed, Turned,
)  # fmt: skip


def build(seed: int) -> nn.Cell:
    """Return the network of a seed: two to four blocks, and a dense layer."""
    draw = np.random.default_rng(seed)
    blocks = [BLOCKS[int(i)](draw) for i in draw.integers(len(BLOCKS), size=int(draw.integers(2, 5)))]
    return nn.SequentialCell(*blocks, dense(draw, WIDTH, 8))


def inputs(seed: int) -> tuple[ms.Tensor]:
    """Return its input."""
    return (ms.Tensor(np.random.default_rng(seed).standard_normal((BATCH, LENGTH, WIDTH)).astype(np.float32)),)
