"""Networks without strategies, trained on one device or with strategies that are searched for.

searched.py FILE MODE|none DEVICES
"""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, context, nn, ops
from mindspore.parallel.auto_parallel import AutoParallel

file, mode, devices = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
context.set_context(mode=context.GRAPH_MODE)
if mode != "none":
    context.set_auto_parallel_context(
        parallel_mode="auto_parallel", auto_parallel_search_mode=mode, device_num=devices, full_batch=True
    )


class Residual(nn.Cell):
    """Six products, two of them on branches."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(64, 128, activation="tanh")
        self.norm = nn.LayerNorm((128,))
        self.up, self.down = nn.Dense(128, 512, activation="relu"), nn.Dense(512, 128)
        self.middle = nn.Dense(128, 64, activation="tanh")
        self.side, self.last = nn.Dense(64, 64, has_bias=False), nn.Dense(64, 32)

    def construct(self, x):
        x = self.first(x)
        x = self.middle(x + self.down(self.up(self.norm(x))))
        return self.last(x + self.side(x))


class Images(nn.Cell):
    """Convolutions, pooling, and a product."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.deep = nn.Conv2d(16, 32, 3)
        self.dense = nn.Dense(32 * 16, 8)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv(x)))
        return self.dense(ops.relu(self.deep(x)).reshape((x.shape[0], -1)))


class Words(nn.Cell):
    """A table of words, attention, and a score for every word."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(64, 32)
        self.query, self.key, self.value = nn.Dense(32, 32), nn.Dense(32, 32), nn.Dense(32, 32)
        self.head = nn.Dense(32, 64)

    def construct(self, tokens):
        x = self.words(tokens)
        batch, time, width = x.shape
        query, key, value = (
            layer(x).reshape((batch, time, 4, width // 4)).transpose((0, 2, 1, 3))
            for layer in (self.query, self.key, self.value)
        )
        chances = ops.softmax(ops.matmul(query, key.swapaxes(-1, -2)), -1)
        return self.head(ops.matmul(chances, value).transpose((0, 2, 1, 3)).reshape((batch, time, width)))


def trained(network: nn.Cell, loss: nn.Cell, *data: np.ndarray) -> dict:
    optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer)
    losses = [float(step(*map(Tensor, data)).asnumpy()) for _ in range(4)]
    pieces = {p.name: len({str(s.index) for s in p._data.addressable_shards}) for p in optimizer.parameters}
    graph = ms.jit(step).graph(*map(Tensor, data))
    return {"losses": losses, "pieces": pieces, "hlo": graph.hlo}


class WordLoss(nn.Cell):
    def construct(self, scores, targets):
        return ops.cross_entropy(scores.reshape((-1, 64)), targets.reshape((-1,)))


np.random.seed(1)
draw = np.random.RandomState(0)
found = {
    "residual": trained(
        Residual(), nn.MSELoss(), draw.randn(32, 64).astype(np.float32), draw.randn(32, 32).astype(np.float32)
    ),
    "images": trained(
        Images(), nn.MSELoss(), draw.randn(16, 3, 8, 8).astype(np.float32), draw.randn(16, 8).astype(np.float32)
    ),
    "words": trained(Words(), WordLoss(), *(draw.randint(0, 64, (8, 16)).astype(np.int32) for _ in range(2))),
}
network, x = Residual(), Tensor(draw.randn(32, 64).astype(np.float32))
plain = network(x).asnumpy()
context.reset_auto_parallel_context()
if mode != "none":
    context.set_auto_parallel_context(device_num=devices)
    network = AutoParallel(network, mode)
    network.dataset_strategy("full_batch")
found["output"] = [plain.tolist(), network(x).asnumpy().tolist()]
file.write_text(json.dumps(found))
