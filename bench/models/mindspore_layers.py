"""Layers that published networks lean on, in MindSpore, NCHW: one source for MindSpore and for sporax."""

import mindspore as ms
from mindspore import nn, ops


class Convolution(nn.Cell):
    """A convolution that keeps the size of images."""

    def __init__(self, channels, kernel, groups):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel, pad_mode="same", group=groups)

    def construct(self, x):
        return self.conv(x)


class Attention(nn.Cell):
    """Attention of all tokens to all, between its two projections."""

    def __init__(self, width, heads):
        super().__init__()
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.heads, self.scale = heads, (width // heads) ** -0.5

    def construct(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        mixed = ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * self.scale, -1), v)
        return self.out(mixed.transpose(0, 2, 1, 3).reshape(batch, length, width))


class Interpolation(nn.Cell):
    """Bilinear interpolation to images of another size."""

    def __init__(self, size):
        super().__init__()
        self.size = (size, size)

    def construct(self, x):
        return ops.interpolate(x, size=self.size, mode="bilinear", align_corners=False)


LAYERS = {"convolution": Convolution, "attention": Attention, "interpolation": Interpolation}


def gradient_step(net, graph):
    """The mean square of what a layer gives, with its gradient by the input and the weights."""
    weights = net.trainable_params()

    def forward(x):
        return ops.square(net(x)).mean()

    grad_fn = ms.value_and_grad(forward, 0, weights) if weights else ms.value_and_grad(forward, 0)
    return ms.jit(grad_fn) if graph else grad_fn
