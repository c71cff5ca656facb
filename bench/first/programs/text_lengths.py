"""A classifier of texts: two blocks of attention, and sixty lengths in random order."""

from common import labels, random, trainer
from mindspore import nn, ops


class Block(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.q, self.k, self.v, self.out = (nn.Dense(width, width) for _ in range(4))
        self.mlp = nn.SequentialCell(nn.Dense(width, 4 * width), nn.GELU(), nn.Dense(4 * width, width))

    def split(self, x):
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).swapaxes(1, 2)

    def construct(self, x):
        h = self.norm1(x)
        q, k, v = self.split(self.q(h)), self.split(self.k(h)), self.split(self.v(h))
        weights = ops.softmax(ops.matmul(q, k.swapaxes(2, 3)) / q.shape[3] ** 0.5, -1)
        x = x + self.out(ops.matmul(weights, v).swapaxes(1, 2).reshape(x.shape))
        return x + self.mlp(self.norm2(x))


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(200, 64)
        self.blocks = nn.SequentialCell(Block(64, 4), Block(64, 4))
        self.head = nn.Dense(64, 5)

    def construct(self, ids):
        return self.head(self.blocks(self.words(ids)).mean(1))


net = Classifier()
step = trainer(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3))
for i, length in enumerate(random.permutation(range(20, 80))):
    loss = step(labels(200, 8, int(length)), labels(5, 8))
    if i % 20 == 19:
        print(f"{float(loss.asnumpy()):.5f}")
