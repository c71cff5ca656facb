"""A network learns which of three spiral arms a point belongs to, and draws what it has learnt.

    python spirals.py [--steps 300]

The functional style with PyTorch's names (`mint`): a loss, `value_and_grad`, and one compiled step.
"""

import argparse

import numpy as np

import sporax as ms
from sporax import mint, nn


def spirals(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points (3 · count, 2) on noisy arms, and the number of each point's arm."""
    random = np.random.default_rng(0)
    radius = np.tile(np.linspace(0.1, 1, count), 3)
    arm = np.repeat(np.arange(3), count)
    angle = 4 * radius + 2 * np.pi / 3 * arm + 0.1 * random.normal(size=radius.size)
    points = np.stack([radius * np.sin(angle), radius * np.cos(angle)], 1)
    return points.astype(np.float32), arm.astype(np.int32)


class Net(nn.Cell):
    """Two hidden layers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.SequentialCell(
            mint.nn.Linear(2, 64), mint.nn.ReLU(), mint.nn.Linear(64, 64), mint.nn.ReLU(), mint.nn.Linear(64, 3)
        )

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        """Return a score for each arm."""
        return self.layers(x)


def main() -> None:
    """Train on all points at once, then draw the regions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300, help="steps of training")
    args = parser.parse_args()
    ms.set_seed(1)
    points, arms = spirals(200)
    x, y = ms.Tensor(points), ms.Tensor(arms)
    network = Net()
    optimizer = nn.Adam(network.trainable_params(), learning_rate=0.01)
    grad = ms.value_and_grad(lambda x, y: mint.nn.functional.cross_entropy(network(x), y), None, optimizer.parameters)

    @ms.jit
    def step(x, y):
        loss, grads = grad(x, y)
        optimizer(grads)
        return loss

    for _ in range(args.steps):
        loss = step(x, y)

    across, down = np.linspace(-1, 1, 60), np.linspace(1, -1, 28)
    grid = np.stack(np.meshgrid(across, down), -1).reshape(-1, 2).astype(np.float32)
    for line in network(ms.Tensor(grid)).asnumpy().argmax(1).reshape(28, 60):
        print("".join(".o#"[arm] for arm in line))
    right = (network(x).asnumpy().argmax(1) == arms).mean()
    print(f"loss {loss.item():.3f}, {100 * right:.1f} % of the points are right")


if __name__ == "__main__":
    main()
