"""A small convolutional network reads handwritten digits, from data to a checkpoint.

    python digits.py [--epochs 8]

The high-level style: rows, a network, `Model.train`. At the end it prints the share of right answers on digits that the network has
never seen, and draws three that it misreads. The data are inside of the package sporax.
"""

import argparse
from importlib import resources

import numpy as np

import sporax as ms
from sporax import dataset, nn, train


def load() -> tuple[np.ndarray, np.ndarray]:
    """Return images (1797, 1, 8, 8) from 0 to 1, and their labels."""
    with np.load(resources.files("sporax") / "_src/cli/commands/digits.npz") as digits:
        return digits["images"][:, None].astype(np.float32) / 16, digits["labels"].astype(np.int32)


def picture(image: np.ndarray) -> str:
    """Return an image as text."""
    return "\n".join("".join(" .:+#"[int(4 * value)] * 2 for value in line) for line in image[0])


def main() -> None:
    """Train, measure, save, and look at mistakes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8, help="how often to see the data")
    args = parser.parse_args()
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)
    images, labels = load()
    test, learn = np.split(np.random.default_rng(0).permutation(len(labels)), [360])

    network = nn.SequentialCell(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Flatten(), nn.Dropout(p=0.25), nn.Dense(32 * 4 * 4, 10),
    )  # fmt: skip
    optimizer = nn.Adam(network.trainable_params(), learning_rate=0.002)
    model = train.Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})
    rows = dataset.NumpySlicesDataset({"image": images[learn], "label": labels[learn]}).batch(32)
    model.train(args.epochs, rows, callbacks=[train.ProgressBar()])
    ms.save_checkpoint(network, "digits.ckpt")

    read = model.predict(ms.Tensor(images[test])).asnumpy().argmax(1)
    wrong = np.flatnonzero(read != labels[test])
    for place in wrong[:3]:
        print(f"\nread as {read[place]}, and it is {labels[test][place]}:\n{picture(images[test][place])}")
    print(f"\n{100 * (1 - len(wrong) / len(test)):.1f} % of {len(test)} new digits are right; weights: digits.ckpt")


if __name__ == "__main__":
    main()
