"""A variational autoencoder with transposed convolutions."""

import mindspore as ms
from common import values
from mindspore import nn, ops


class VAE(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encode = nn.SequentialCell(
            nn.Conv2d(1, 16, 4, 2), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.Flatten(), nn.Dense(32 * 49, 16)
        )
        self.grow = nn.SequentialCell(nn.Dense(8, 32 * 49), nn.ReLU())
        self.decode = nn.SequentialCell(nn.Conv2dTranspose(32, 16, 4, 2), nn.ReLU(), nn.Conv2dTranspose(16, 1, 4, 2))

    def construct(self, x, noise):
        mean, spread = ops.split(self.encode(x), 8, 1)
        hidden = mean + noise * ops.exp(0.5 * spread)
        image = self.decode(self.grow(hidden).reshape(-1, 32, 7, 7))
        distance = -0.5 * (1 + spread - mean**2 - ops.exp(spread)).sum(1).mean()
        return ops.binary_cross_entropy_with_logits(image, x, ops.ones_like(x), ops.ones_like(x)) + distance


net = VAE()
optimizer = nn.Adam(net.trainable_params(), 1e-3)
gradients = ms.value_and_grad(net, None, optimizer.parameters)
x, noise = ops.sigmoid(values(16, 1, 28, 28)), values(16, 8)
for _ in range(3):
    loss, grads = gradients(x, noise)
    optimizer(grads)
    print(f"{float(loss.asnumpy()):.5f}")
