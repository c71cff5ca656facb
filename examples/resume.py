"""A training that survives a kill: stop it with Ctrl-C or `kill -9`, start it again, and it goes on.

    python resume.py           # kill it while it trains
    python resume.py           # it continues after the last complete epoch

The result is the same, to the last bit, as that of a run that nobody has killed; the program prints a number that shows it.
"""

import argparse
import hashlib

import numpy as np

import sporax as ms
from sporax import dataset, nn, train


def main() -> None:
    """Train with a backup after each epoch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=40, help="how often to see the data")
    parser.add_argument("--rows", type=int, default=16_384, help="the number of rows")
    args = parser.parse_args()
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)
    x = np.random.default_rng(0).uniform(-1, 1, (args.rows, 2)).astype(np.float32)
    rows = dataset.NumpySlicesDataset({"x": x, "y": x[:, :1] * x[:, 1:]}).batch(32)
    network = nn.SequentialCell(nn.Dense(2, 64, activation="tanh"), nn.Dense(64, 1))
    model = train.Model(network, nn.MSELoss(), nn.Adam(network.trainable_params(), 0.002), metrics={"mae"})
    model.train(args.epochs, rows, callbacks=[train.ProgressBar(), train.BackupAndRestore("backup")])
    bits = b"".join(parameter.asnumpy().tobytes() for parameter in network.trainable_params())
    print(f"mean error {model.eval(rows)['mae']:.4f}; the weights are {hashlib.sha256(bits).hexdigest()[:12]}")


if __name__ == "__main__":
    main()
