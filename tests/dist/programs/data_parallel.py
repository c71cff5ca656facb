"""Data parallel training as MindSpore programs write it: `data_parallel.py FOLDER` writes `rank_R.json` there.

It runs under `msrun` and under `sporax launch`; with one process it trains on the batches that several would share.
"""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init

BATCH, STEPS = 8, 4


class LeNet(nn.Cell):
    """Two convolutions and two dense layers on images of 12x12."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 3, pad_mode="valid"), nn.Conv2d(4, 6, 3, pad_mode="valid")
        self.pool, self.flatten = nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2 = nn.Dense(6, 16), nn.Dense(16, 5)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        return self.fc2(ops.relu(self.fc1(self.flatten(x))))


def mlp():
    """A dense network on the same images."""
    return nn.SequentialCell(nn.Flatten(), nn.Dense(144, 16), nn.Tanh(), nn.Dense(16, 5))


def with_weights(net):
    """Return the network with weights drawn by name."""
    rng = np.random.default_rng(0)
    for parameter in net.trainable_params():
        value = rng.standard_normal(parameter.shape) / max(1, np.prod(parameter.shape[1:])) ** 0.5
        parameter.set_data(ms.Tensor(value.astype(np.float32)))
    return net


def batches(rank, size):
    """Yield this process's part of each batch."""
    rng = np.random.default_rng(1)
    part = slice(rank * BATCH // size, (rank + 1) * BATCH // size)
    for _ in range(STEPS):
        x, y = rng.standard_normal((BATCH, 1, 12, 12)).astype(np.float32), rng.integers(0, 5, BATCH).astype(np.int32)
        yield ms.Tensor(x[part]), ms.Tensor(y[part])


def described(net, losses):
    """Return the losses and a sum over each Parameter."""
    return {"losses": losses, "weights": [float(np.abs(p.asnumpy()).sum()) for p in net.trainable_params()]}


def by_cell(net, rank, size):
    """Train with `TrainOneStepCell`."""
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    return described(net, [float(step(x, y).asnumpy()) for x, y in batches(rank, size)])


def by_hand(net, rank, size):
    """Train with a reducer and an optimizer of one's own."""
    loss, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)

    def forward_loss(x, y):
        return loss(net(x), y)

    forward = ms.value_and_grad(forward_loss, None, optimizer.parameters)
    reducer = nn.DistributedGradReducer(optimizer.parameters, mean=True)
    losses = []
    for x, y in batches(rank, size):
        value, grads = forward(x, y)
        optimizer(reducer(grads))
        losses.append(float(value.asnumpy()))
    return described(net, losses)


def collectives(rank):
    """Return what operators give, and the gradient of one."""
    x = ms.Tensor(np.array([[1, 2], [3, 4]], np.float32) * (rank + 1))
    found = [ops.AllReduce()(x), ops.AllGather()(x), ops.Broadcast(1 if get_group_size() > 1 else 0)((x,))[0]]

    def product(x):
        return (ops.AllReduce()(x) * x).sum()

    found.append(ms.grad(product)(x))
    return [f.asnumpy().tolist() for f in found]


def main(folder):
    """Run everything and write what was found."""
    before = get_rank() if len(sys.argv) > 2 else None
    init()
    rank, size = get_rank(), get_group_size()
    if size > 1:
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=size)
    found = {"rank": rank, "size": size, "before": before}
    for name, mode in (("graph", ms.GRAPH_MODE), ("pynative", ms.PYNATIVE_MODE)):
        ms.set_context(mode=mode, device_target="CPU")
        found[name] = {
            "mlp": by_cell(with_weights(mlp()), rank, size),
            "lenet": by_cell(with_weights(LeNet()), rank, size),
            "by hand": by_hand(with_weights(mlp()), rank, size),
        }
        if name == "pynative":
            found[name]["collectives"] = collectives(rank)
    with open(f"{folder}/rank_{rank}.json", "w") as file:
        json.dump(found, file)


main(sys.argv[1])
