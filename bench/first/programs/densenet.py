"""A DenseNet of 24 layers on images of 32×32."""

from common import labels, train, values
from mindspore import nn, ops


class Layer(nn.Cell):
    def __init__(self, inputs, growth):
        super().__init__()
        self.body = nn.SequentialCell(nn.BatchNorm2d(inputs), nn.ReLU(), nn.Conv2d(inputs, growth, 3))

    def construct(self, x):
        return ops.concat((x, self.body(x)), 1)


class DenseNet(nn.Cell):
    def __init__(self, growth=12):
        super().__init__()
        cells, width = [nn.Conv2d(3, 24, 3)], 24
        for stage in range(3):
            for _ in range(7):
                cells.append(Layer(width, growth))
                width += growth
            if stage < 2:
                cells += [nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width // 2, 1), nn.AvgPool2d(2, 2)]
                width //= 2
        self.body = nn.SequentialCell(*cells)
        self.head = nn.Dense(width, 10)

    def construct(self, x):
        return self.head(self.body(x).mean((2, 3)))


train(DenseNet(), values(8, 3, 32, 32), labels(10, 8))
