"""What becomes of rows for which an operation of `map` raises, and lines of texts."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mindspore.dataset as ds
from mindspore.dataset.utils import LineReader

from .common import write_json

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from failing_rows import FAILURES

Mode = ds.config.ErrorSamplesMode
SIZES = (1, 3, 16, 17, 40, 100)
LINES = {
    "plain": "one\ntwo\nthree", "ended": "one\ntwo\n", "windows": "a\r\nb\r\n\r\nc", "returns": "a\rb\nc\r", "empty": "",
    "blank": "\n\n", "accents": "é\n北京\n😀",
}  # fmt: skip


def rows(size: int) -> Callable[[], Iterator[int]]:
    """Return a source of numbers."""

    def generator() -> Iterator[int]:
        yield from range(size)

    return generator


def run(mode: Mode, failure: str, size: int, epochs: int = 1, workers: int = 1) -> dict[str, Any]:
    """Return the rows of each epoch, or the type of the error."""

    def operation(row: Any) -> Any:
        if FAILURES[failure](int(row), size):
            raise ZeroDivisionError("no")
        return row

    ds.config.set_error_samples_mode(mode)
    data = ds.GeneratorDataset(rows(size), ["a"], shuffle=False).map(operation, ["a"], num_parallel_workers=workers)
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    try:
        found = [[row[0].item() for row in iterator] for _ in range(epochs)]
    except Exception as error:
        return {"error": type(error).__name__}
    return {"size": data.get_dataset_size(), "rows": found}


def outputs(mode: Mode) -> str:
    """Return the type of the error where an operation returns too much."""
    ds.config.set_error_samples_mode(mode)
    data = ds.GeneratorDataset(rows(3), ["a"], shuffle=False).map(lambda a: (a, a), ["a"], num_parallel_workers=1)
    try:
        list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    except Exception as error:
        return type(error).__name__
    return "none"


def lines(text: str) -> dict[str, Any]:
    """Return what a LineReader gives of a text."""
    path = Path(tempfile.mkdtemp()) / "text"
    path.write_bytes(text.encode())
    reader = LineReader(str(path))
    found: dict[str, Any] = {"len": [reader.len(), len(reader)], "lines": []}
    for k in range(1, reader.len() + 1):
        found["lines"].append(reader.readline(k))
        assert reader[k] == found["lines"][-1]
    for bad in (0, reader.len() + 1, "1", 1.0):
        try:
            reader.readline(bad)
        except Exception as error:
            found[f"readline({bad!r})"] = type(error).__name__
    reader.close()
    return found


def record(out: Path) -> None:
    """Write ``error_samples.json``."""
    found = {
        mode.name: {f"{failure}, {size}": run(mode, failure, size) for failure in FAILURES for size in SIZES}
        for mode in Mode
    }
    answers = {
        "rows": found,
        "epochs": {mode.name: run(mode, "two of three", 40, epochs=2) for mode in Mode},
        "workers": {mode.name: run(mode, "runs", 100, workers=2) for mode in Mode},
        "outputs": {mode.name: outputs(mode) for mode in Mode},
        "values": {mode.name: int(mode) for mode in Mode},
        "lines": {name: {"text": text, **lines(text)} for name, text in LINES.items()},
    }
    ds.config.set_error_samples_mode(Mode.RETURN)
    for name, path in (("missing", "nowhere"), ("folder", "/"), ("number", 3)):
        try:
            LineReader(path)
        except Exception as error:
            answers["lines"][name] = {"error": type(error).__name__}
    write_json(out / "error_samples.json", answers)
