"""A language model of two causal blocks."""

import mindspore as ms
import numpy as np
from common import labels, train
from mindspore import nn, ops


class Block(nn.Cell):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.mlp = nn.SequentialCell(nn.Dense(width, 4 * width), nn.GELU(), nn.Dense(4 * width, width))
        self.mask = ms.Tensor(np.triu(np.full((length, length), -1e9, np.float32), 1))

    def construct(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(batch, length, 3, self.heads, width // self.heads)
        q, k, v = (qkv[:, :, i].swapaxes(1, 2) for i in range(3))
        scores = ops.matmul(q, k.swapaxes(2, 3)) / (width // self.heads) ** 0.5
        mixed = ops.matmul(ops.softmax(scores + self.mask[:length, :length], -1), v)
        x = x + self.out(mixed.swapaxes(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Cell):
    def __init__(self, words=100, width=64, length=32):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.SequentialCell(Block(width, 4, length), Block(width, 4, length))
        self.head = nn.Dense(width, words)

    def construct(self, ids):
        x = self.words(ids) + self.places(ops.arange(ids.shape[1]))
        return self.head(self.blocks(x)).reshape(-1, 100)


ids = labels(100, 8, 33)
train(GPT(), ids[:, :-1], ids[:, 1:].reshape(-1))
