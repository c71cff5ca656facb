"""A convolutional network that is applied to images of all sizes."""

import mindspore as ms
from common import MODE, random, values
from mindspore import nn

net = nn.SequentialCell(
    nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2, 2),
    nn.Conv2d(16, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.Conv2d(32, 5, 1),
)  # fmt: skip
net.set_train(False)
if MODE == ms.GRAPH_MODE:
    net.construct = ms.jit(net.construct)
total = 0.0
for _ in range(30):
    height, width = random.integers(24, 72, 2)
    total += float(net(values(1, 3, int(height), int(width))).mean((2, 3)).asnumpy().sum())
print(f"{total:.4f}")
