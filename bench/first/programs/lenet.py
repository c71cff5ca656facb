"""LeNet on small grey images."""

from common import labels, train, values
from mindspore import nn

net = nn.SequentialCell(
    nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2),
    nn.Conv2d(6, 16, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2),
    nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, 10),
)  # fmt: skip
train(net, values(32, 1, 32, 32), labels(10, 32))
