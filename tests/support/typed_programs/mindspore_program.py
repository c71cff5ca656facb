"""A program that imports `mindspore`, by its usual names and by longer paths."""

from typing import assert_type

import mindspore as ms
import mindspore.dataset as ds
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Model, Parameter, Tensor, context, load_checkpoint, load_param_into_net, save_checkpoint
from mindspore import dtype as mstype
from mindspore.common.initializer import Normal, initializer
from mindspore.dataset import transforms, vision
from mindspore.nn.optim import Adam
from mindspore.ops import operations as P
from mindspore.train.callback import LossMonitor, ModelCheckpoint


class LeNet(nn.Cell):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 5, pad_mode="valid", weight_init=Normal(0.02))
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(6 * 12 * 12, classes)
        self.relu = ops.ReLU()
        self.gain = Parameter(initializer("ones", [classes], mstype.float32), name="gain")

    def construct(self, x: Tensor) -> Tensor:
        x = self.pool(self.relu(self.conv(x)))
        assert_type(self.fc(self.flatten(x)), Tensor)
        return self.fc(self.flatten(x)) * self.gain


def rows():
    for i in range(32):
        yield np.ones((28, 28, 1), np.float32) * i, np.array(i % 10, np.int32)


def main() -> None:
    context.set_context(mode=context.GRAPH_MODE)
    ms.set_seed(1)
    data = ds.GeneratorDataset(list(rows()), ["image", "label"], shuffle=False)
    data = data.map([vision.Rescale(1 / 32, 0.0), vision.HWC2CHW()], "image")
    data = data.map(transforms.TypeCast(mstype.int32), "label").batch(8)
    net = LeNet()
    optimizer = Adam(net.trainable_params(), learning_rate=0.001)
    model = Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), optimizer, metrics={"acc"})
    model.train(1, data, callbacks=[LossMonitor(), ModelCheckpoint("lenet", "/tmp/lenet")], dataset_sink_mode=False)
    assert_type(model.eval(data), dict[str, float])
    save_checkpoint(net, "/tmp/lenet/last.ckpt")
    print(load_param_into_net(net, load_checkpoint("/tmp/lenet/last.ckpt")), ms.__version__)
    print(P.Concat(axis=1)((ops.ones((2, 3), ms.float32), ops.zeros((2, 1), mstype.float32))).shape)
    x = ms.ops.ones((1, 1, 28, 28), mstype.float32)

    def forward(x: Tensor) -> Tensor:
        return net(x).sum()

    loss, grads = ms.value_and_grad(forward, None, net.trainable_params())(x)
    assert_type(loss, Tensor)
    assert_type(grads, tuple[Tensor, ...])


if __name__ == "__main__":
    main()
