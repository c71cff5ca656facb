"""A graph network that gathers and adds up messages of neighbours."""

from common import labels, train, values
from mindspore import nn, ops

source, target = labels(60, 200), labels(60, 200)


class Messages(nn.Cell):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.dense = nn.Dense(inputs, outputs)

    def construct(self, x):
        sent = ops.gather(self.dense(x), source, 0)
        return ops.unsorted_segment_sum(sent, target, 60)


net = nn.SequentialCell(Messages(16, 32), nn.ReLU(), Messages(32, 32), nn.ReLU(), nn.Dense(32, 4))
train(net, values(60, 16), labels(4, 60), steps=5)
