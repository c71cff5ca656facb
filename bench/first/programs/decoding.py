"""Greedy decoding of 64 tokens without a cache: the text grows by one token a step."""

import mindspore as ms
import numpy as np
from common import MODE, labels
from mindspore import nn, ops


class Block(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.mlp = nn.SequentialCell(nn.Dense(width, 4 * width), nn.GELU(), nn.Dense(4 * width, width))

    def construct(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(batch, length, 3, self.heads, width // self.heads)
        q, k, v = (qkv[:, :, i].swapaxes(1, 2) for i in range(3))
        scores = ops.matmul(q, k.swapaxes(2, 3)) / (width // self.heads) ** 0.5
        scores = scores + ops.triu(ops.full((length, length), -1e9, dtype=ms.float32), 1)
        mixed = ops.matmul(ops.softmax(scores, -1), v)
        x = x + self.out(mixed.swapaxes(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Cell):
    def __init__(self, words=100, width=64):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(128, width)
        self.blocks = nn.SequentialCell(Block(width, 4), Block(width, 4))
        self.head = nn.Dense(width, words)

    def construct(self, ids):
        x = self.words(ids) + self.places(ops.arange(ids.shape[1]))
        return self.head(self.blocks(x)[:, -1])


net = GPT()
net.set_train(False)
if MODE == ms.GRAPH_MODE:
    net.construct = ms.jit(net.construct)
ids = labels(100, 1, 4)
for _ in range(64):
    following = ms.Tensor(net(ids).asnumpy().argmax(1)[:, None].astype(np.int32))
    ids = ops.concat((ids, following), 1)
print(ids.asnumpy().sum())
