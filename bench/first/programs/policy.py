"""A policy that is asked for one action at a time, and trained on episodes of different lengths."""

import mindspore as ms
import numpy as np
from common import random
from mindspore import nn, ops

net = nn.SequentialCell(nn.Dense(4, 32), nn.Tanh(), nn.Dense(32, 2))
optimizer = nn.Adam(net.trainable_params(), 1e-2)


def loss_fn(states, actions, returns):
    chances = ops.log_softmax(net(states), -1)
    return -(ops.gather_elements(chances, 1, actions.expand_dims(1)).squeeze(1) * returns).mean()


gradients = ms.value_and_grad(loss_fn, None, optimizer.parameters)
for _ in range(20):
    states, actions = [], []
    state = random.standard_normal(4).astype(np.float32)
    for _ in range(int(random.integers(10, 40))):
        logits = net(ms.Tensor(state[None])).asnumpy()[0]
        action = int(logits[1] > logits[0])
        states.append(state)
        actions.append(action)
        state = (0.9 * state + 0.1 * random.standard_normal(4) + 0.01 * action).astype(np.float32)
    returns = np.arange(len(states), 0, -1).astype(np.float32)
    loss, grads = gradients(ms.Tensor(np.stack(states)), ms.Tensor(actions, ms.int32), ms.Tensor(returns))
    optimizer(grads)
print(f"{float(loss.asnumpy()):.4f}")
