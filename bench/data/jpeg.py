"""Times a pipeline of JPEG files, as for training on ImageNet, by turns in sporax, MindSpore and torch.

``python -m bench.data.jpeg --mindspore-python PY [--torch-python PY]`` writes the part "jpeg" of DATA.md. A framework without
a Python is left out.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bench.data.turns import Child, machine, serve, write_part

_MEAN, _STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
_BATCH = 32
_WORKERS = (1, 2)
_CROPS = ("Resize", "RandomResizedCrop")


def write_files(folder: Path, count: int) -> None:
    """Write JPEG files of 500 × 375 pixels, of about 50 kB, in two folders of classes."""
    from PIL import Image

    rng = np.random.default_rng(0)
    for number in range(count):
        coarse = Image.fromarray(rng.integers(0, 256, (47, 63, 3), np.uint8)).resize(
            (500, 375), Image.Resampling.BICUBIC
        )
        noisy = np.asarray(coarse) + rng.integers(-12, 13, (375, 500, 3))
        path = folder / str(number % 2) / f"{number:04}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).save(path, quality=85)


def mindspore_rows(framework: str, folder: str, crop: str, workers: int, batch: int) -> Any:
    """Return the dataset in MindSpore or sporax: the program is the same."""
    ds = importlib.import_module(f"{framework}.dataset")
    vision = importlib.import_module(f"{framework}.dataset.vision")
    operations = [
        vision.Decode(),
        vision.Resize((224, 224)) if crop == "Resize" else vision.RandomResizedCrop(224),
        vision.RandomHorizontalFlip(),
        vision.Normalize(_MEAN, _STD),
        vision.HWC2CHW(),
    ]
    files = ds.ImageFolderDataset(folder, shuffle=False, num_parallel_workers=workers)
    return files.map(operations, "image", num_parallel_workers=workers).batch(batch, num_parallel_workers=workers)


def torch_batches(folder: str, crop: str, workers: int) -> Iterable[Any]:
    """Return the batches of one epoch in torch."""
    from torch.utils.data import DataLoader
    from torchvision import datasets, transforms

    chain = transforms.Compose(
        [
            transforms.Resize((224, 224)) if crop == "Resize" else transforms.RandomResizedCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([v / 255 for v in _MEAN], [v / 255 for v in _STD]),
        ]
    )
    return DataLoader(datasets.ImageFolder(folder, chain), _BATCH, num_workers=workers)


def answers(framework: str) -> Callable[..., dict[str, Any]]:
    """Return the function that reads one epoch in a framework."""

    def answer(folder: str, crop: str, workers: int) -> dict[str, Any]:
        start, images = time.perf_counter(), 0
        if framework == "torch":
            batches = torch_batches(folder, crop, workers)
        else:
            rows = mindspore_rows(framework, folder, crop, workers, _BATCH)
            batches = rows.create_tuple_iterator(num_epochs=1, output_numpy=True)
        for batch in batches:
            images += len(batch[0])
        return {"rate": images / (time.perf_counter() - start)}

    return answer


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sporax-python", default=sys.executable)
    parser.add_argument("--mindspore-python")
    parser.add_argument("--torch-python")
    parser.add_argument("--images", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pythons = {name: getattr(options, f"{name}_python") for name in ("sporax", "mindspore", "torch")}
    children = {name: Child(python, "bench.data.jpeg", name) for name, python in pythons.items() if python}
    rates: dict[tuple[str, int, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), options.images)
        for turn in range(options.rounds + 1):
            for crop in _CROPS:
                for workers in _WORKERS:
                    for name, child in children.items():
                        rate = child.ask(folder=folder, crop=crop, workers=workers)["rate"]
                        if turn:  # the first round fills caches
                            rates.setdefault((crop, workers, name), []).append(rate)
    for child in children.values():
        child.end()
    text = _text(list(children), rates, options)
    print(text)
    write_part("jpeg", text)


def _text(names: list[str], rates: dict[tuple[str, int, str], list[float]], options: argparse.Namespace) -> str:
    rows = []
    for crop in _CROPS:
        for workers in _WORKERS:
            found = [statistics.median(rates[crop, workers, name]) for name in names]
            best = [max(rates[crop, workers, name]) for name in names]
            cells = [f"{middle:.0f} ({most:.0f})" for middle, most in zip(found, best, strict=True)]
            ratios = [f"{found[0] / other:.2f}" for other in found[1:]]
            rows.append(f"| {crop} | {workers} | {' | '.join(cells + ratios)} |")
    heads = [*names, *(f"sporax / {name}" for name in names[1:])]
    return f"""
## A pipeline of JPEG files

Images in a second: the median of {options.rounds} epochs of {options.images} files, and the best one, by turns, on {machine()}.
Decode, the operation of the first column, RandomHorizontalFlip, Normalize and HWC2CHW, in batches of {_BATCH}.
Workers of sporax and MindSpore are threads, those of torch processes. `python -m bench.data.jpeg` writes this part.

| images | workers | {" | ".join(heads)} |
|---|---|{"---|" * len(heads)}
{chr(10).join(rows)}
"""


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(answers(sys.argv[2]))
    else:
        main()
