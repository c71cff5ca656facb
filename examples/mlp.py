"""A multi-layer perceptron learns to tell the arms of three spirals apart.

The functional style: a function for the loss, `mindspore.value_and_grad` to differentiate it with respect to
the parameters, an optimizer that applies the gradients, and one `jit` around the whole step.
"""

import common
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class MLP(nn.Cell):
    """Two hidden layers with ReLU."""

    def __init__(self, inputs: int, hidden: int, classes: int):
        super().__init__()
        self.hidden1 = nn.Dense(inputs, hidden)
        self.hidden2 = nn.Dense(hidden, hidden)
        self.output = nn.Dense(hidden, classes)

    def construct(self, x):
        """Return one score per class."""
        x = ops.relu(self.hidden1(x))
        x = ops.relu(self.hidden2(x))
        return self.output(x)


def spirals(points_per_arm: int, arms: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return points (n, 2) on noisy spiral arms, and the number of each point's arm."""
    random = np.random.RandomState(1)
    radius = np.tile(np.linspace(0.1, 1.0, points_per_arm), arms)
    arm = np.repeat(np.arange(arms), points_per_arm)
    angle = 4 * radius + 2 * np.pi / arms * arm + 0.15 * random.randn(radius.size)
    points = np.stack([radius * np.sin(angle), radius * np.cos(angle)], 1)
    return points.astype(np.float32), arm.astype(np.int32)


def main() -> None:
    """Train on batches drawn with NumPy, then report the accuracy over all points."""
    args = common.parse_args(__doc__.splitlines()[0], steps=300)
    points, labels = spirals(200)
    net = MLP(2, 64, 3)
    common.load_weights(net, args.weights)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)

    def forward(x, y):
        return loss_fn(net(x), y)

    value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters)

    def train_step(x, y):
        loss, grads = value_and_grad(x, y)
        optimizer(grads)
        return loss

    step = ms.jit(train_step) if args.mode == "graph" else train_step

    random = np.random.RandomState(2)
    losses = []
    for _ in range(args.steps):
        batch = random.randint(0, len(points), 64)
        losses.append(float(step(Tensor(points[batch]), Tensor(labels[batch]))))

    predicted = net(Tensor(points)).asnumpy().argmax(1)
    print(f"accuracy: {(predicted == labels).mean():.3f}")
    common.finish(args, net, losses)


if __name__ == "__main__":
    main()
