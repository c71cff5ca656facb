"""`sporax demo`: LeNet learns handwritten digits, from data inside the package to a reloaded checkpoint."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import click
import numpy as np
from rich.console import Console

import sporax as ms
import sporax.dataset as ds
from sporax import nn, train

BATCH = 32
SEED = 1


class LeNet(nn.Cell):
    """LeNet for images of 8×8 pixels: two convolutions, three dense layers."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        )
        self.classifier = nn.SequentialCell(
            nn.Dropout(p=0.25),
            nn.Dense(32 * 4 * 4, 120),
            nn.ReLU(),
            nn.Dropout(p=0.25),
            nn.Dense(120, 84),
            nn.ReLU(),
            nn.Dense(84, classes),
        )

    def construct(self, image: ms.Tensor) -> ms.Tensor:
        """Return the scores of the classes, `(N, classes)`, of images `(N, 1, 8, 8)`."""
        return self.classifier(self.features(image))


@dataclass
class Digits:
    """Images `(N, 1, 8, 8)` in [0, 1] and their labels `(N,)`."""

    images: np.ndarray
    labels: np.ndarray

    def pipeline(self, training: bool) -> ds.Dataset:
        """Return batches; for training in a new order each epoch, each image moved by up to one pixel."""
        data = ds.NumpySlicesDataset({"image": self.images, "label": self.labels}, shuffle=training)
        if training:
            rng = np.random.default_rng(SEED)
            data = data.map(lambda image: moved(image, *rng.integers(0, 3, 2)), "image")
        return data.batch(BATCH)


def moved(image: np.ndarray, down: int, right: int) -> np.ndarray:
    """Return the image inside a border of one pixel, cut out at an offset of 0 to 2."""
    height, width = image.shape[1:]
    return np.pad(image, ((0, 0), (1, 1), (1, 1)))[:, down : down + height, right : right + width]


def load_digits() -> tuple[Digits, Digits]:
    """Return four fifths of the digits for training and a fifth, always the same, for the test."""
    source = resources.files("sporax._src.cli.commands") / "digits.npz"
    with source.open("rb") as file, np.load(file) as data:
        images = data["images"][:, None].astype(np.float32) / 16
        labels = data["labels"].astype(np.int32)
    order = np.random.default_rng(0).permutation(len(labels))
    test, rest = np.split(order, [len(order) // 5])
    return Digits(images[rest], labels[rest]), Digits(images[test], labels[test])


def build(epochs: int, steps: int) -> tuple[LeNet, train.Model]:
    """Return a new network and its Model."""
    network = LeNet()
    rates = nn.cosine_decay_lr(1e-5, 2e-3, epochs * steps, steps, epochs)
    optimizer = nn.Adam(network.trainable_params(), rates)
    return network, train.Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})


def accuracy_of(model: train.Model, digits: Digits) -> float:
    """Return the share of digits that the network classifies correctly."""
    return model.eval(digits.pipeline(training=False), dataset_sink_mode=False)["accuracy"]


def reloaded(path: Path, steps: int) -> train.Model:
    """Return a new network with the weights of a checkpoint."""
    network, model = build(1, steps)
    ms.load_param_into_net(network, ms.load_checkpoint(str(path), format=path.suffix[1:]))
    return model


@click.command()
@click.option("--epochs", default=40, show_default=True, type=click.IntRange(1), help="How often to see the data.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Keep the checkpoints in this folder.")
def demo(epochs: int, out: Path | None) -> None:
    """Train LeNet on handwritten digits, save it, load it, and report the measurements."""
    console = Console(soft_wrap=True)
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(SEED)
    digits, test = load_digits()
    console.print(f"{len(digits.labels)} digits of 8×8 pixels to train on, {len(test.labels)} held out for the test")
    steps = -(-len(digits.labels) // BATCH)
    network, model = build(epochs, steps)
    start = time.perf_counter()
    model.train(epochs, digits.pipeline(training=True), callbacks=[train.ProgressBar()], dataset_sink_mode=False)
    seconds = time.perf_counter() - start
    accuracy = accuracy_of(model, test)
    parameters = sum(p.size for p in network.trainable_params())
    console.print(f"accuracy on the held-out digits: [bold]{100 * accuracy:.2f} %[/bold]")
    console.print(f"{parameters} parameters, {epochs} epochs of {steps} steps in {seconds:.1f} s, compilation included")
    with tempfile.TemporaryDirectory() as scratch:
        folder = out or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        same = [save_and_compare(console, network, folder / name, test, accuracy, steps) for name in FILES]
    sys.exit(0 if all(same) else "the reloaded network is not as accurate as the saved one.")


FILES = ("lenet.ckpt", "lenet.safetensors")


def save_and_compare(console: Console, network: LeNet, path: Path, test: Digits, accuracy: float, steps: int) -> bool:
    """Save, load into a new network, and return whether that one is as accurate."""
    ms.save_checkpoint(network, str(path), format=path.suffix[1:])
    again = accuracy_of(reloaded(path, steps), test)
    console.print(f"{path.name}: {path.stat().st_size} bytes; a new network that loads it: {100 * again:.2f} %")
    return again == accuracy
