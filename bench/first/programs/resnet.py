"""ResNet-18 on images of 32×32."""

import itertools

from common import labels, train, values
from mindspore import nn


def convolution(inputs, outputs, size, stride=1):
    return nn.Conv2d(inputs, outputs, size, stride, has_bias=False)


class Block(nn.Cell):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.SequentialCell(convolution(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs), nn.ReLU())
        self.second = nn.SequentialCell(convolution(outputs, outputs, 3), nn.BatchNorm2d(outputs))
        changes = stride > 1 or inputs != outputs
        self.shortcut = (
            nn.SequentialCell(convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)) if changes else None
        )
        self.relu = nn.ReLU()

    def construct(self, x):
        shortcut = x if self.shortcut is None else self.shortcut(x)
        return self.relu(self.second(self.first(x)) + shortcut)


class ResNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.SequentialCell(convolution(3, 64, 3), nn.BatchNorm2d(64), nn.ReLU())
        widths = (64, 64, 128, 256, 512)
        blocks = [
            Block(inputs if i == 0 else outputs, outputs, 2 if i == 0 and outputs > 64 else 1)
            for inputs, outputs in itertools.pairwise(widths)
            for i in range(2)
        ]
        self.blocks = nn.SequentialCell(*blocks)
        self.head = nn.Dense(512, 10)

    def construct(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


train(ResNet(), values(4, 3, 32, 32), labels(10, 4))
