"""Weights from a `.pth` file of PyTorch begin a new training: the first layers stay, the last one learns something new.

    python fine_tune.py

Needs PyTorch, to make the file. It prints the error before and after, and that the frozen weights are the same.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import sporax as ms
from sporax import dataset, migrate, nn, train

try:
    import torch
except ModuleNotFoundError:
    sys.exit("This example makes a file of PyTorch: pip install torch.")

X = np.random.default_rng(0).uniform(-1, 1, (512, 2)).astype(np.float32)


def build() -> nn.SequentialCell:
    """Return the network that the file is for."""
    return nn.SequentialCell(nn.Dense(2, 64), nn.Tanh(), nn.Dense(64, 1))


def trained_by_torch(path: Path) -> None:
    """Write the weights of a network that has learnt the product of two numbers."""
    torch.manual_seed(0)
    x = torch.from_numpy(X)
    net = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    for _ in range(200):
        optimizer.zero_grad()
        ((net(x) - x[:, :1] * x[:, 1:]) ** 2).mean().backward()
        optimizer.step()
    torch.save(net.state_dict(), path)


def main() -> None:
    """Convert the file, freeze the first layer, and learn the sum of the numbers instead."""
    ms.set_seed(1)
    network = build()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "product.pth"), Path(folder, "product.ckpt")
        trained_by_torch(source)
        migrate.convert_weights(source, target)  # as `sporax weights product.pth product.ckpt` does
        ms.load_checkpoint(target, network)
    error = np.abs(network(ms.Tensor(X)).asnumpy() - X[:, :1] * X[:, 1:]).mean()
    print(f"error of the loaded network: {error:.3f}")

    for parameter in network[0].get_parameters():
        parameter.requires_grad = False
    network[2] = nn.Dense(64, 1)
    frozen = network[0].weight.asnumpy()
    rows = dataset.NumpySlicesDataset({"x": X, "y": X[:, :1] + X[:, 1:]}).batch(32)
    model = train.Model(network, nn.MSELoss(), nn.Adam(network.trainable_params(), 0.02), metrics={"mae"})
    print(f"error in the new task: {model.eval(rows)['mae']:.3f} before,", end=" ")
    model.train(30, rows)
    print(
        f"{model.eval(rows)['mae']:.3f} after; frozen weights unchanged: {np.array_equal(frozen, network[0].weight.asnumpy())}"
    )


if __name__ == "__main__":
    main()
