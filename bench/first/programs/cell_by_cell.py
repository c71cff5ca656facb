"""A recurrent network that is called step by step."""

from common import labels, train, values
from mindspore import nn, ops


class Steps(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(8, 16)
        self.head = nn.Dense(16, 4)

    def construct(self, x):
        h = c = ops.zeros((x.shape[0], 16))
        for t in range(x.shape[1]):
            h, c = self.cell(x[:, t], (h, c))
        return self.head(h)


train(Steps(), values(8, 12, 8), labels(4, 8), steps=5)
