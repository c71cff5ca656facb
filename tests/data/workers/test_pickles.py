"""Functions, sources and errors on their way to a worker and back."""

import functools
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import sporax.dataset  # noqa: F401
from sporax._src.data.workers import pickles
from sporax._src.data.workers.pickles import CannotTravel, Parcel, error_again, opened, pickled_error


def again(value: object) -> object:
    """Return a value out of a parcel."""
    parcel = Parcel("test", value, value)
    try:
        return opened(parcel.file, parcel.sizes)
    finally:
        parcel.close()


class Bad(Exception):
    """An exception of a program."""

    def __init__(self, number: int, word: str) -> None:
        super().__init__(f"{number} {word}")


class Good(Exception):
    """An exception that pickles as it is."""


@functools.lru_cache(maxsize=3)
def cached(x: int) -> int:
    """Return the next number."""
    return x + 1


def test_functions_travel_by_value() -> None:
    step = 3
    made = again(lambda x: cached(x) + step)
    assert made(4) == 8
    assert made.__code__.co_filename == __file__
    assert again(cached).cache_parameters() == {"maxsize": 3, "typed": False}
    assert again(np.sort) is np.sort and again(os) is os


def test_modules_of_the_program_are_known(tmp_path: Path) -> None:
    assert pickles._is_programs(__name__, sys.modules[__name__])
    for name in ("os", "numpy", "cloudpickle", "sporax.dataset", "json.decoder", "_pytest.python"):
        assert not pickles._is_programs(name, sys.modules[name]), name
    assert not pickles._is_programs("other", sys.modules[__name__])
    assert pickles._has_installed(str(tmp_path / "archive.zip"))


def test_large_arrays_are_shared_until_written() -> None:
    parcel = Parcel("test", np.zeros(100_000), None)
    one, two = opened(parcel.file, parcel.sizes), opened(parcel.file, parcel.sizes)
    one[:] = 1
    assert two.sum() == 0
    parcel.close()


class Held:
    """A source that holds what cannot travel."""

    def __init__(self) -> None:
        self.inner = type("Inner", (), {})()
        self.inner.lock = threading.Lock()

    def __call__(self) -> None:
        """Do nothing."""


GLOBAL = threading.Lock()


def test_what_cannot_travel_is_named_with_the_remedy() -> None:
    remedy = "make it where it is used .* or pass python_multiprocessing=False, which calls the function on threads"
    with pytest.raises(RuntimeError, match=rf"test: Held cannot be sent .*: inner\.lock: cannot pickle.*; {remedy}"):
        again(Held())
    with pytest.raises(
        RuntimeError, match=r"lambda> in test_pickles\.py, line \d+, cannot be sent .*: GLOBAL: cannot pickle"
    ):
        again(lambda: GLOBAL)
    lock = threading.Lock()
    with pytest.raises(RuntimeError, match=r"cannot be sent .*: lock: cannot pickle"):
        again(lambda: lock)
    with pytest.raises(
        RuntimeError, match=r"test: \[<unlocked _thread.lock .*>\] cannot be sent to a worker process: cannot"
    ):
        again([lock])


def test_errors_keep_their_class_where_they_can() -> None:
    error = error_again(pickled_error(Good("x")), "text")
    assert type(error) is Good and str(error) == "x"
    assert isinstance(error_again(pickled_error(Bad(1, "x")), "text"), RuntimeError)  # its __init__ takes two arguments
    held = ValueError(threading.Lock())
    assert pickled_error(held) is None
    assert str(error_again(None, "text")) == "text"
    assert str(error_again(b"\x80\x05K\x01.", "no exception")) == "no exception"


def test_of_a_script(tmp_path: Path) -> None:
    """Functions and classes of a script without a guard, a notebook's or `python -c`, work, and it runs once."""
    program = """
import numpy as np
import sporax.dataset as ds
print("runs")
class Mine(ValueError): pass
class Source:
    def __init__(self): self.rows = np.arange(6)
    def __len__(self): return len(self.rows)
    def __getitem__(self, i):
        if i == 4: raise Mine("four")
        return twice(self.rows[i])
twice = lambda x: 2 * x
rows = ds.GeneratorDataset(Source(), ["x"], shuffle=False, num_parallel_workers=2).create_tuple_iterator(output_numpy=True)
try:
    for row in rows: print(row[0])
except RuntimeError as error:
    print(type(error.__cause__) is Mine, error)
"""
    script = tmp_path / "script.py"
    script.write_text(program)
    expected = "runs\n0\n2\n4\n6\nTrue GeneratorDataset: source Source.__getitem__ raised Mine at row 4: four\n"
    for command in ([str(script)], ["-c", program]):
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=120)
        assert (done.stdout, done.stderr) == (expected, "")


def test_classes_of_datasets_are_those_of_the_worker(tmp_path: Path) -> None:
    """The classes name modules of MindSpore while a program imports them; a copy by value would be another class."""
    script = tmp_path / "script.py"
    script.write_text("""
import io
import mindspore as ms, mindspore.dataset as ds, numpy as np
from mindspore.dataset import text, transforms, vision
from PIL import Image
class Source:
    cell, relu, vocab = ms.nn.Cell, ms.ops.relu, text.Vocab.from_list(["a", "b"])
    linear, cast = vision.Inter.LINEAR, transforms.TypeCast(ms.float32)
    def __len__(self): return 2
    def __getitem__(self, i):
        assert isinstance(self.linear, vision.Inter) and isinstance(self.vocab, text.Vocab)
        file = io.BytesIO()
        Image.new("RGB", (20, 16)).save(file, "PNG")
        return np.frombuffer(file.getvalue(), np.uint8), self.cast(self.vocab.tokens_to_ids("b"))
data = ds.GeneratorDataset(Source(), ["image", "id"], num_parallel_workers=2, shuffle=False)
data = data.map(vision.RandomCropDecodeResize(8), "image", python_multiprocessing=True)
for image, number in data.create_tuple_iterator(output_numpy=True): print(image.shape, repr(number))
""")
    done = subprocess.run(
        [sys.executable, "-m", "sporax", "run", str(script)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == 2 * "(8, 8, 3) array(1., dtype=float32)\n", done.stderr


@pytest.mark.parametrize("mode", ["r", "r+", "c", "w+"])
def test_a_mapped_file_is_mapped_again(tmp_path: Path, mode: str) -> None:
    """It is not copied, however large it is."""
    path = tmp_path / "tokens.bin"
    np.arange(12, dtype=np.int32).tofile(path)
    tokens = np.memmap(path, np.int32, mode, 8, (2, 5), "F")
    if mode != "r":
        tokens[0, 0] = 7
        tokens.flush()
    made = again({"tokens": tokens})["tokens"]
    assert isinstance(made, np.memmap) and made.mode == ("r+" if mode == "w+" else mode) and made.offset == 8
    expected = np.array(tokens) if mode != "c" else np.fromfile(path, np.int32)[2:].reshape(2, 5, order="F")
    assert np.array_equal(made, expected) and made.flags.f_contiguous
    part = again(tokens[:, 1:3])  # a part is a small array, and is copied
    assert np.array_equal(part, np.array(tokens[:, 1:3]))


def test_too_large_for_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1e6 < pickles._free_memory() < 1e16
    monkeypatch.setattr(pickles, "_LARGE", 0)
    monkeypatch.setattr(pickles, "_free_memory", lambda: 1e9)
    again(np.zeros(1000))
    monkeypatch.setattr(pickles, "_free_memory", lambda: 15000)
    with pytest.raises(
        CannotTravel,
        match=r"test: .* holds 0\.0 GB, of which worker processes need a copy, and 0\.0 GB of memory are free; keep",
    ):
        again(np.zeros(1000))
