"""Times Python functions in worker processes, and MindRecord files, by turns in sporax, MindSpore, torch and Grain.

``python -m bench.data.workers --mindspore-python PY [--torch-python PY] [--grain-path FOLDER]`` writes the part "workers" of
DATA.md. A framework without a Python is left out. FOLDER is where ``pip install --target FOLDER grain`` put Grain.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.data.turns import Child, NoAnswer, serve, write_part

LIMIT = 120  # seconds for one measurement
ROWS = {"python": 800, "arrays": 600, "text": 4000}
_WORDS = [f"word{number}" for number in range(2000)]
_VOCABULARY = {word: number for number, word in enumerate(_WORDS)}

# --- the work of a row, the same everywhere -----------------------------------------------------------------------------


def python_row(index: Any) -> np.ndarray:
    """Compute for about a millisecond in Python."""
    total = 0
    for number in range(12_000):
        total += number * number
    return np.array(total + int(index))


def arrays_row(index: Any) -> np.ndarray:
    """Make 600 kB of numbers."""
    return np.full((224, 224, 3), int(index), np.float32)


def text_row(index: Any) -> np.ndarray:
    """Make tokens of a sentence, padded to 128."""
    number = int(index)
    sentence = " ".join(_WORDS[(number * 7 + k * k) % len(_WORDS)] for k in range(20 + number % 80))
    tokens = [_VOCABULARY.get(word, 0) for word in sentence.lower().split()]
    return np.array(tokens + [0] * (128 - len(tokens)), np.int64)


WORK: dict[str, tuple[Callable[[Any], np.ndarray], int]] = {
    "python": (python_row, 1),  # the function, rows of a batch
    "arrays": (arrays_row, 16),
    "text": (text_row, 32),
}


class Numbered:
    """A source, as MindSpore and torch take them.

    Args:
        kind: The work.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __len__(self) -> int:
        return ROWS[self.kind]

    def __getitem__(self, index: int) -> np.ndarray:
        return WORK[self.kind][0](index)


# --- the frameworks: each gives an epoch after the other ---------------------------------------------------------------


def mindspore_epochs(dataset: Any, kind: str, workers: int) -> Iterator[Iterable[Any]]:
    """Give epochs of MindSpore, or of sporax, whose program is the same; 0 workers are one thread."""
    function, size = WORK[kind]
    options = {"num_parallel_workers": max(workers, 1), "python_multiprocessing": workers > 0}
    if kind == "arrays":
        rows = dataset.GeneratorDataset(Numbered(kind), ["x"], shuffle=False, **options)
    else:
        rows = dataset.NumpySlicesDataset(np.arange(ROWS[kind]), ["x"], shuffle=False)
        rows = rows.map(function, ["x"], **options)
    rows = rows.batch(size).create_tuple_iterator(num_epochs=100, output_numpy=True)
    while True:
        yield rows


def torch_epochs(kind: str, workers: int) -> Iterator[Iterable[Any]]:
    """Give epochs of torch's loader."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Numbered(kind), WORK[kind][1], num_workers=workers, persistent_workers=workers > 0)  # type: ignore[arg-type]
    while True:
        yield loader


def grain_epochs(kind: str, workers: int) -> Iterator[Iterable[Any]]:
    """Give epochs of Grain's datasets."""
    import grain  # type: ignore[import-not-found]
    from absl import flags  # type: ignore[import-not-found]

    flags.FLAGS.mark_as_parsed()
    function, size = WORK[kind]
    rows = grain.MapDataset.source(range(ROWS[kind])).map(function).repeat(100).batch(size).to_iter_dataset()
    if workers:
        rows = rows.mp_prefetch(grain.MultiprocessingOptions(num_workers=workers))
    reader = iter(rows)
    while True:
        yield (next(reader) for _ in range(-(-ROWS[kind] // size)))


def epochs(framework: str, kind: str, workers: int) -> Iterator[Iterable[Any]]:
    """Give epochs of a framework."""
    if framework == "torch":
        return torch_epochs(kind, workers)
    if framework == "grain":
        return grain_epochs(kind, workers)
    return mindspore_epochs(_module(framework, "dataset"), kind, workers)


def _module(framework: str, name: str) -> Any:
    return __import__(f"{framework}.{name}", fromlist=[name])


def timed(framework: str, kind: str, workers: int) -> dict[str, float]:
    """Return the rows per second of a second epoch, and the seconds until the first batch of the first."""
    source, began = epochs(framework, kind, workers), time.perf_counter()
    rows = iter(next(source))
    next(rows)
    first = time.perf_counter() - began
    for _ in rows:
        pass
    began = time.perf_counter()
    for _ in next(source):
        pass
    return {"rate": ROWS[kind] / (time.perf_counter() - began), "first": first}


def records(framework: str, count: int = 4000) -> dict[str, float]:
    """Return the rows per second of writing and of reading a MindRecord file."""
    writer, dataset = _module(framework, "mindrecord"), _module(framework, "dataset")
    images = [os.urandom(10_000) for _ in range(50)]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rows.mindrecord"
        began = time.perf_counter()
        file = writer.FileWriter(path, 1)
        file.add_schema({"image": {"type": "bytes"}, "label": {"type": "int32"}}, "rows")
        for low in range(0, count, 100):
            file.write_raw_data([{"image": images[k % 50], "label": k} for k in range(low, low + 100)])
        file.commit()
        wrote, began = time.perf_counter() - began, time.perf_counter()
        rows = dataset.MindDataset(path, ["image", "label"], shuffle=False)
        read = sum(1 for _ in rows.create_tuple_iterator(num_epochs=1, output_numpy=True))
        took = time.perf_counter() - began
    assert read == count
    return {"written": count / wrote, "read": count / took}


# --- turns --------------------------------------------------------------------------------------------------------------


def answer(framework: str, kind: str, **question: Any) -> dict[str, float]:
    """Measure what the parent asks for."""
    return records(framework) if kind == "records" else timed(framework, kind, **question)


def main() -> None:
    """Measure, and write the tables."""
    if sys.argv[1:2] == ["serve"]:
        return serve(partial(answer, sys.argv[2]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mindspore-python")
    parser.add_argument("--torch-python")
    parser.add_argument("--grain-path")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    module = "bench.data.workers"
    children = {"sporax": Child(sys.executable, module, "sporax", limit=LIMIT)}
    if options.mindspore_python:
        children["mindspore"] = Child(options.mindspore_python, module, "mindspore", "", LIMIT)
    if options.torch_python:
        children["torch"] = Child(options.torch_python, module, "torch", "", LIMIT)
    if options.grain_path:
        children["grain"] = Child(sys.executable, module, "grain", options.grain_path, LIMIT)
    found: dict[tuple[Any, ...], list[dict[str, float]]] = {}

    def add(key: tuple[Any, ...], child: Child, **question: Any) -> None:
        try:
            found.setdefault(key, []).append(child.ask(**question))
        except NoAnswer as error:  # the page has a dash, unless another turn has an answer
            print(error, file=sys.stderr)

    for _ in range(options.rounds):
        for kind in WORK:
            for workers in (0, 1, 2):
                for name, child in children.items():
                    if (name, kind, workers) != ("mindspore", "arrays", 1):  # one worker is its own thread
                        add((kind, workers, name), child, kind=kind, workers=workers)
        for name in children.keys() & {"sporax", "mindspore"}:
            add(("records", name), children[name], kind="records")
    for child in children.values():
        child.end()
    text = page(list(children), found, options.rounds)
    print(text)
    write_part("workers", text)


def page(names: list[str], found: dict[tuple[Any, ...], list[dict[str, float]]], rounds: int) -> str:
    """Return the tables."""

    def middle(key: tuple[Any, ...], what: str) -> float | None:
        return statistics.median(one[what] for one in found[key]) if found.get(key) else None

    def cell(value: float | None, form: str = ".0f") -> str:
        return "—" if value is None else format(value, form)

    lines = [
        f"| rows | workers | {' | '.join(names)} | first batch, ms: {' | '.join(names)} |",
        "|---" * (2 + 2 * len(names)) + "|",
    ]
    for kind in WORK:
        for workers in (0, 1, 2):
            rates = [cell(middle((kind, workers, name), "rate")) for name in names]
            firsts = [cell((middle((kind, workers, name), "first") or 0) * 1000 or None) for name in names]
            lines.append(f"| {kind} | {workers} | {' | '.join([*rates, *firsts])} |")
    gains = []
    for kind in WORK:
        ratios = [
            statistics.median(
                two["rate"] / one["rate"] for one, two in zip(found[kind, 1, n], found[kind, 2, n], strict=False)
            )
            if found.get((kind, 1, n)) and found.get((kind, 2, n))
            else None
            for n in names
        ]
        gains.append(f"| {kind} | {' | '.join(cell(ratio, '.2f') for ratio in ratios)} |")
    both = [name for name in names if found.get(("records", name))]
    stored = [
        f"| {what} | {' | '.join(cell(middle(('records', n), what)) for n in both)} |" for what in ("written", "read")
    ]
    return f"""
## Worker processes

Rows in a second, in a second epoch: the median of {rounds} turns, on {os.cpu_count()} processors. 0 workers: the program's thread;
else so many processes. *python*: a millisecond of Python for a row, which is one number. *arrays*: rows of 600 kB from a source, in
batches of 16. *text*: tokens of sentences, padded, in batches of 32. —: not measured, or no
answer within {LIMIT} s. `python -m bench.data.workers` writes this part.

{chr(10).join(lines)}

How many times as fast two processes are as one, the median of the turns:

| rows | {" | ".join(names)} |
|---{"|---" * len(names)}|
{chr(10).join(gains)}

MindRecord files, rows of 10 kB in a second:

| | {" | ".join(both)} |
|---{"|---" * len(both)}|
{chr(10).join(stored)}
"""


if __name__ == "__main__":
    main()
