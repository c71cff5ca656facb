"""What the programs share: the mode, seeded arrays, a training step, and the loss that each program prints."""

import os

import mindspore as ms
import numpy as np
from mindspore import nn

MODE = ms.GRAPH_MODE if os.environ.get("FIRST_MODE") == "graph" else ms.PYNATIVE_MODE
ms.set_context(mode=MODE)
ms.set_seed(1)
random = np.random.default_rng(0)


def values(*shape):
    """Return normally distributed numbers as a Tensor."""
    return ms.Tensor(random.standard_normal(shape).astype(np.float32))


def labels(below, *shape):
    """Return whole numbers from 0 to `below` - 1 as a Tensor."""
    return ms.Tensor(random.integers(0, below, shape).astype(np.int32))


def trainer(net, loss_fn, optimizer):
    """Return a function that does one training step; graph mode compiles it."""

    def forward(x, y):
        return loss_fn(net(x), y)

    net.set_train()
    gradients = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        loss, grads = gradients(x, y)
        optimizer(grads)
        return loss

    return ms.jit(step) if MODE == ms.GRAPH_MODE else step


def train(net, inputs, targets, steps=3, rate=1e-3):
    """Train a network with Adam on one batch, and print the losses."""
    step = trainer(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), rate))
    for _ in range(steps):
        print(f"{float(step(inputs, targets).asnumpy()):.5f}")
