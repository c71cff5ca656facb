"""A variational autoencoder learns to draw digits.

The loss function returns more than the loss: `value_and_grad(..., has_aux=True)` differentiates the first value and
hands the others through. The noise comes from NumPy as an input, so that every run draws the same.
"""

import common
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops

SIZE = 16
LATENT = 8


class VAE(nn.Cell):
    """Encode a picture as mean and variance of a code, draw a code, decode it."""

    def __init__(self, hidden: int = 64):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(SIZE * SIZE, hidden), nn.ReLU())
        self.mean = nn.Dense(hidden, LATENT)
        self.log_variance = nn.Dense(hidden, LATENT)
        self.decoder = nn.SequentialCell(nn.Dense(LATENT, hidden), nn.ReLU(), nn.Dense(hidden, SIZE * SIZE))

    def construct(self, x, noise):
        """Return logits of the picture, and mean and log-variance of the code."""
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        code = mean + ops.exp(0.5 * log_variance) * noise
        return self.decoder(code), mean, log_variance


def pipeline(count: int, batch_size: int) -> ds.Dataset:
    """Return batches of flat pictures and of noise, in a fixed order."""
    images, _ = common.digit_images(count, size=SIZE, scale=2)
    images = images.reshape(count, -1).clip(0, 1)
    noise = np.random.RandomState(1).randn(count, LATENT).astype(np.float32)
    dataset = ds.NumpySlicesDataset((images, noise), column_names=["image", "noise"], shuffle=False)
    return dataset.batch(batch_size, drop_remainder=True)


def show(logits: np.ndarray) -> None:
    """Print pictures side by side, with a sign for each level of grey."""
    pictures = (1 / (1 + np.exp(-logits))).reshape(-1, SIZE, SIZE)
    for rows in pictures.transpose(1, 0, 2):
        print("  ".join("".join(" .:*#"[int(4.99 * grey)] for grey in row) for row in rows))


def main() -> None:
    """Train for some epochs, print both parts of the loss, and draw pictures from random codes."""
    args = common.parse_args(__doc__.splitlines()[0], steps=300)
    net = VAE()
    common.load_weights(net, args.weights)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.003)

    def forward(image, noise):
        logits, mean, log_variance = net(image, noise)
        reconstruction = ops.binary_cross_entropy_with_logits(
            logits, image, ops.ones_like(image), ops.ones_like(image), reduction="sum"
        )
        divergence = -0.5 * ops.sum(1 + log_variance - ops.square(mean) - ops.exp(log_variance))
        count = image.shape[0]
        return (reconstruction + divergence) / count, reconstruction / count, divergence / count

    value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def train_step(image, noise):
        values, grads = value_and_grad(image, noise)
        optimizer(grads)
        return values

    step = ms.jit(train_step) if args.mode == "graph" else train_step

    losses = []
    parts = (0.0, 0.0)
    batches = pipeline(1024, batch_size=32).repeat(-(-max(args.steps, 1) // 32))
    for image, noise in batches.create_tuple_iterator():
        if len(losses) >= args.steps:
            break
        loss, *parts = step(image, noise)
        losses.append(float(loss))

    print(f"reconstruction: {float(parts[0]):.2f}, divergence: {float(parts[1]):.2f}")
    codes = np.random.RandomState(2).randn(4, LATENT).astype(np.float32)
    show(net.decoder(Tensor(codes)).asnumpy())
    common.finish(args, net, losses)


if __name__ == "__main__":
    main()
