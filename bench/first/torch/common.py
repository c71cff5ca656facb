"""What the programs in PyTorch share."""

import numpy as np
import torch

torch.manual_seed(1)
random = np.random.default_rng(0)


def values(*shape):
    """Return normally distributed numbers."""
    return torch.from_numpy(random.standard_normal(shape).astype(np.float32))


def labels(below, *shape):
    """Return whole numbers from 0 to `below` - 1."""
    return torch.from_numpy(random.integers(0, below, shape))


def trainer(net, loss_fn, optimizer):
    """Return a function that does one training step."""

    def step(x, y):
        optimizer.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step
