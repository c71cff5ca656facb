"""Epochs of a pipeline with worker processes or threads, some of them abandoned or broken off, and the memory they take."""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sporax.dataset as ds
from sporax.dataset import transforms, vision

ROWS = 320
BATCH = 16
SIZE = 160  # pixels of an image
WARM = 0.2  # share of the time after which memory is compared


class Images:
    """JPEG files, each with the number of its row."""

    def __init__(self) -> None:
        made = np.random.default_rng(0).integers(0, 255, (8, SIZE, SIZE, 3), np.uint8)
        self.files = [vision.encode_jpeg(image) for image in made]

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.int32]:
        return self.files[index % len(self.files)], np.int32(index)


def _summed(image: np.ndarray) -> np.ndarray:
    """Do a little in Python."""
    return image + np.float32(sum(range(100)) % 7)


def _pairs(images: list[np.ndarray], labels: list[np.ndarray], info: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return [image * np.float32(0.5) for image in images], labels


def _fails(label: np.ndarray) -> np.ndarray:
    if int(label) == ROWS // 2:
        raise ValueError("the row in the middle is bad")
    return label


def pipeline(processes: bool, breaks: bool) -> Any:
    """Return JPEG files that are decoded, changed by chance and batched, by two workers at each operation."""
    options: dict[str, Any] = {"num_parallel_workers": 2, "python_multiprocessing": processes}
    rows = ds.GeneratorDataset(Images(), ["image", "label"], shuffle=True, **options)
    steps = [
        vision.Decode(),
        vision.RandomCrop(128),
        vision.RandomHorizontalFlip(),
        vision.HWC2CHW(),
        transforms.TypeCast(np.float32),
    ]
    rows = rows.map(steps, ["image"], num_parallel_workers=2).map(_summed, ["image"], **options)
    if breaks:
        rows = rows.map(_fails, ["label"], **options)
    return rows.batch(BATCH, per_batch_map=_pairs, **options)


def epochs() -> Iterator[int]:
    """Read epochs for ever, by processes and threads in turn, and give how many batches each had.

    Of eight epochs one is left in the middle, and one meets a bad row.
    """
    number = 0
    while True:
        number += 1
        breaks = number % 8 == 5
        reader = pipeline(number % 2 == 1, breaks).create_tuple_iterator(num_epochs=1, output_numpy=True)
        batches = 0
        try:
            for images, _ in reader:
                assert images.shape[1:] == (3, 128, 128)
                batches += 1
                if number % 8 == 3 and batches == 7:
                    break
        except RuntimeError as error:
            assert breaks and "the row in the middle is bad" in str(error), error
        else:
            assert not breaks
        del reader
        yield batches


def memory() -> float:
    """Return the memory of this process and of all below it, in MiB; what several share counts once."""
    told = 0
    for number in [os.getpid(), *_below(os.getpid())]:
        with _ended():
            told += int(Path(f"/proc/{number}/smaps_rollup").read_text().split("Pss:")[1].split()[0])
    return told / 1024


def _below(parent: int) -> list[int]:
    found = []
    with _ended():
        for folder in Path(f"/proc/{parent}/task").iterdir():
            with _ended():
                for child in (folder / "children").read_text().split():
                    found += [int(child), *_below(int(child))]
    return found


def _ended() -> contextlib.AbstractContextManager[None]:
    """Pass over a process or thread that ends while the system's tables are read."""
    return contextlib.suppress(FileNotFoundError, ProcessLookupError)


def soak(seconds: float, note: Callable[[str], object] = lambda text: None) -> dict[str, object]:
    """Read epochs for so many seconds; return memory, open files and threads at the beginning and at the end.

    These are lower quartiles: what is on its way between workers comes and goes with the load of the machine.
    """
    began, samples, batches, count = time.monotonic(), [], 0, 0
    for count, read in enumerate(epochs(), 1):
        batches += read
        passed = time.monotonic() - began
        samples.append((passed, memory(), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))))
        if count % 100 == 0:
            note(f"{passed:.0f} s, {count} epochs, {samples[-1][1]:.0f} MiB")
        if passed >= seconds:
            break
    warm = [sample for sample in samples if sample[0] >= WARM * seconds]
    third = max(len(warm) // 3, 2)
    first, last = (
        [statistics.quantiles(column, method="inclusive")[0] for column in zip(*part, strict=True)][1:]
        for part in (warm[:third], warm[-third:])
    )
    return {
        "seconds": round(samples[-1][0]), "epochs": count, "batches": batches,
        "memory, MiB": [round(first[0], 1), round(last[0], 1)], "growth": round(last[0] / first[0] - 1, 4),
        "open files": [first[1], last[1]], "threads": [first[2], last[2]],
    }  # fmt: skip
