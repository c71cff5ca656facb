"""Separable convolutions with squeeze and excitation, on images of 32×32."""

from common import labels, train, values
from mindspore import nn, ops


class Separable(nn.Cell):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.depthwise = nn.Conv2d(inputs, inputs, 3, stride, group=inputs)
        self.norm = nn.BatchNorm2d(inputs)
        self.squeeze = nn.Dense(inputs, inputs // 4)
        self.excite = nn.Dense(inputs // 4, inputs)
        self.pointwise = nn.Conv2d(inputs, outputs, 1)
        self.act = nn.HSwish()

    def construct(self, x):
        x = self.act(self.norm(self.depthwise(x)))
        scale = ops.sigmoid(self.excite(ops.relu(self.squeeze(x.mean((2, 3))))))
        return self.act(self.pointwise(x * scale.expand_dims(2).expand_dims(3)))


net = nn.SequentialCell(
    nn.Conv2d(3, 16, 3, 2), nn.BatchNorm2d(16), nn.HSwish(),
    Separable(16, 24, 2), Separable(24, 24, 1), Separable(24, 48, 2), Separable(48, 48, 1), Separable(48, 96, 1),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dense(96, 10),
)  # fmt: skip
train(net, values(8, 3, 32, 32), labels(10, 8))
