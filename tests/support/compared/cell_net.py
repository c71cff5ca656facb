"""The network of `torch_net.py` for MindSpore; `build_wrong` has MindSpore's momentum for torch's."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self, momentum=0.9):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, pad_mode="pad", padding=1, has_bias=True)
        self.bn = nn.BatchNorm2d(4, momentum=momentum)
        self.rnn = nn.LSTM(16, 5, batch_first=True)
        self.fc = nn.Dense(5, 3)

    def construct(self, x):
        x = ops.relu(self.bn(self.conv(x))).reshape(2, 4, 16)
        out, _ = self.rnn(x)
        return self.fc(out[:, -1])


def build(momentum=0.9):
    net = Net(momentum)
    for p in net.trainable_params():
        values = np.sin(np.arange(p.size)).reshape(p.shape)
        p.set_data(ms.Tensor(values, ms.float32))
    return net


def build_wrong():
    return build(0.1)


def loss():
    return nn.CrossEntropyLoss()


def optimizer(params):
    return nn.SGD(params, learning_rate=0.1, momentum=0.9)
