"""A U-Net of three levels on images of 64×64."""

import itertools

from common import labels, train, values
from mindspore import nn, ops


def double(inputs, outputs):
    return nn.SequentialCell(
        nn.Conv2d(inputs, outputs, 3), nn.BatchNorm2d(outputs), nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3), nn.BatchNorm2d(outputs), nn.ReLU(),
    )  # fmt: skip


class UNet(nn.Cell):
    def __init__(self):
        super().__init__()
        widths = (16, 32, 64, 128)
        self.stem = double(3, widths[0])
        self.down = nn.CellList([double(a, b) for a, b in itertools.pairwise(widths)])
        self.grow = nn.CellList([nn.Conv2dTranspose(b, a, 2, 2) for b, a in itertools.pairwise(widths[::-1])])
        self.up = nn.CellList([double(b, a) for b, a in itertools.pairwise(widths[::-1])])
        self.pool = nn.MaxPool2d(2, 2)
        self.head = nn.Conv2d(widths[0], 4, 1)

    def construct(self, x):
        x = self.stem(x)
        kept = ()
        for down in self.down:
            kept = (*kept, x)
            x = down(self.pool(x))
        for i in range(len(kept)):
            x = self.up[i](ops.concat((self.grow[i](x), kept[len(kept) - 1 - i]), 1))
        return self.head(x)


train(UNet(), values(2, 3, 64, 64), labels(4, 2, 64, 64))
