"""A recurrent classifier of sequences."""

from common import labels, train, values
from mindspore import nn


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.LSTM(16, 32, batch_first=True)
        self.head = nn.Dense(32, 5)

    def construct(self, x):
        return self.head(self.body(x)[0][:, -1])


train(Classifier(), values(16, 20, 16), labels(5, 16))
