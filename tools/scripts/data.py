"""Small seeded data in the format of the files that training scripts read, in place of what they download."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np


def mnist(folder: str, kind: str = "MNIST", images: int = 2000) -> None:
    """Write the four files of MNIST, or of a dataset with its format."""
    rng, raw = np.random.default_rng(0), Path(folder) / kind / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for part in ("train", "t10k"):
        pixels, labels = rng.integers(0, 256, (images, 28, 28)), rng.integers(0, 10, images)
        for name, values in (("images-idx3", pixels), ("labels-idx1", labels)):
            header = bytes([0, 0, 8, values.ndim]) + np.array(values.shape, ">i4").tobytes()
            (raw / f"{part}-{name}-ubyte").write_bytes(header + values.astype(np.uint8).tobytes())


def text(*files: str, words: int = 20_000, vocabulary: int = 200) -> None:
    """Write files of sentences."""
    rng = np.random.default_rng(0)
    for file in files:
        names = [f"word{i}" for i in rng.integers(0, vocabulary, words)]
        lines = (" ".join(names[i : i + 15]) for i in range(0, words, 15))
        _write(file, lines)


def table(file: str, columns: Iterable[str], rows: int) -> None:
    """Write a table of numbers, separated by commas."""
    names = [*columns]
    values = np.random.default_rng(0).standard_normal((rows, len(names))).cumsum(0)
    _write(file, [",".join(names), *(",".join(f"{value:.4f}" for value in row) for row in values)])


def citations(folder: str, papers: int = 1600, words: int = 60, links: int = 4000) -> None:
    """Write the two files of Cora: the words and the kind of each paper, and who cites whom."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 7, papers)
    has_word = rng.integers(0, 2, (papers, words))
    _write(
        f"{folder}/cora.content",
        ("\t".join(map(str, [i, *has_word[i], f"kind{kinds[i]}"])) for i in range(papers)),
    )
    pairs = rng.integers(0, papers, (links, 2))
    _write(f"{folder}/cora.cites", (f"{a}\t{b}" for a, b in pairs if a != b))


def _write(file: str, lines: Iterable[str]) -> None:
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text("\n".join(lines) + "\n")


def waves(file: str, rows: int = 20, length: int = 40) -> None:
    """Write sine waves with random phases in a file of torch."""
    import torch

    starts = np.random.default_rng(0).integers(-80, 80, (rows, 1))
    torch.save(np.sin((np.arange(length) + starts) / 20), file)
