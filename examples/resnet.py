"""A small residual network learns digits in colour, in the shape of CIFAR pictures.

The cell style: `WithLossCell` joins network and loss, `TrainOneStepCell` adds the optimizer, and the result is one
cell whose call is a whole training step. The learning rate is a list with a value for every step.
"""

import common
import numpy as np
from mindspore import Tensor, nn


def conv3x3(inputs: int, outputs: int, stride: int = 1) -> nn.Conv2d:
    """Return a 3x3 convolution that keeps the size when the stride is 1."""
    return nn.Conv2d(inputs, outputs, 3, stride=stride, pad_mode="pad", padding=1, weight_init="he_normal")


class BasicBlock(nn.Cell):
    """Two convolutions whose result is added to the input: `relu(f(x) + shortcut(x))`."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.conv1 = conv3x3(inputs, outputs, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = conv3x3(outputs, outputs)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU()
        self.shortcut = nn.SequentialCell()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.SequentialCell(nn.Conv2d(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def construct(self, x):
        """Return the block's value."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + self.shortcut(x))


class ResNet(nn.Cell):
    """Three stages, each of which halves the picture and doubles the channels."""

    def __init__(self, blocks: tuple[int, ...] = (1, 1, 1), width: int = 8, classes: int = 10):
        super().__init__()
        self.stem = nn.SequentialCell(conv3x3(3, width), nn.BatchNorm2d(width), nn.ReLU())
        layers = []
        inputs = width
        for stage, count in enumerate(blocks):
            outputs = width * 2**stage
            for block in range(count):
                layers.append(BasicBlock(inputs, outputs, stride=2 if block == 0 else 1))
                inputs = outputs
        self.stages = nn.SequentialCell(layers)
        self.head = nn.Dense(inputs, classes)

    def construct(self, x):
        """Return one score per class for pictures (N, 3, 32, 32)."""
        x = self.stages(self.stem(x))
        return self.head(x.mean((2, 3)))


def colour_digits(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pictures (count, 3, 32, 32) of digits in random colours, and the digits."""
    grey, labels = common.digit_images(count, size=32, scale=4, seed=seed)
    random = np.random.RandomState(seed + 100)
    ink, paper = random.rand(2, count, 3, 1, 1).astype(np.float32)
    return paper + grey * (ink - paper) + 0.3 * grey, labels


def accuracy(net: nn.Cell, images: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of right answers, with the batch norms' running statistics."""
    net.set_train(False)
    return (net(Tensor(images)).asnumpy().argmax(1) == labels).mean()


def main() -> None:
    """Train with a cosine learning rate, then report the accuracy on other pictures."""
    args = common.parse_args(__doc__.splitlines()[0], steps=300)
    batch_size = 32
    images, labels = colour_digits(1024, seed=0)
    net = ResNet()
    common.load_weights(net, args.weights)
    rates = nn.cosine_decay_lr(0.001, 0.1, max(args.steps, 300), 1, 300)
    optimizer = nn.Momentum(net.trainable_params(), rates, momentum=0.9, weight_decay=5e-4)
    loss = nn.CrossEntropyLoss(label_smoothing=0.05)
    train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)
    train_step.set_train()

    losses = []
    for number in range(args.steps):
        start = number * batch_size % len(images)
        batch = slice(start, start + batch_size)
        losses.append(float(train_step(Tensor(images[batch]), Tensor(labels[batch]))))

    print(f"accuracy: {accuracy(net, *colour_digits(256, seed=1)):.3f}")
    common.finish(args, net, losses)


if __name__ == "__main__":
    main()
