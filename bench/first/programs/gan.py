"""A generator and a discriminator that learn in turns."""

import mindspore as ms
from common import values
from mindspore import nn, ops

generator = nn.SequentialCell(nn.Dense(16, 64), nn.LeakyReLU(), nn.Dense(64, 2))
discriminator = nn.SequentialCell(nn.Dense(2, 64), nn.LeakyReLU(), nn.Dense(64, 1))
loss_fn = nn.BCEWithLogitsLoss()
for_g = nn.Adam(generator.trainable_params(), 1e-3)
for_d = nn.Adam(discriminator.trainable_params(), 1e-3)


def fool(noise):
    scores = discriminator(generator(noise))
    return loss_fn(scores, ops.ones_like(scores))


def judge(real, fake):
    truth, lie = discriminator(real), discriminator(fake)
    return loss_fn(truth, ops.ones_like(truth)) + loss_fn(lie, ops.zeros_like(lie))


grad_g = ms.value_and_grad(fool, None, for_g.parameters)
grad_d = ms.value_and_grad(judge, None, for_d.parameters)
for _ in range(5):
    noise, real = values(32, 16), values(32, 2)
    loss_d, grads = grad_d(real, ops.stop_gradient(generator(noise)))
    for_d(grads)
    loss_g, grads = grad_g(noise)
    for_g(grads)
    print(f"{float(loss_d.asnumpy()):.5f} {float(loss_g.asnumpy()):.5f}")
