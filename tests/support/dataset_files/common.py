"""What the builders of small data sets share: pictures, sounds and texts that are the same wherever they are written."""

import gzip
import io
import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np

Case = str  # a call with the names of `dataset`, in the folder of the files


def text(path: str, *lines: str) -> None:
    """Write lines, each ended by a line feed."""
    raw(path, "".join(f"{line}\n" for line in lines).encode())


def raw(path: str, value: bytes) -> None:
    """Write bytes, and make the folders above them."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(value)


def as_json(path: str, value: Any) -> None:
    """Write a value as JSON."""
    raw(path, json.dumps(value).encode())


def picture(path: str, seed: int, shape: tuple[int, ...] = (4, 5, 3)) -> None:
    """Write random pixels as a bitmap, whose bytes do not depend on the version of Pillow, whatever the path ends in."""
    from PIL import Image

    pixels = np.random.RandomState(seed).randint(0, 256, shape).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "BMP")
    raw(path, out.getvalue())


def sound(path: str, seed: int, size: int, rate: int = 16000) -> None:
    """Write random samples as a WAV file of 16 bits and one channel."""
    samples = np.random.RandomState(seed).randint(-32768, 32768, size).astype("<i2").tobytes()
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(samples), b"WAVE", b"fmt ", 16, 1, 1, rate, rate * 2, 2,
                       16, b"data", len(samples))  # fmt: skip
    raw(path, head + samples)


def idx(path: str, values: np.ndarray) -> None:
    """Write an IDX file of unsigned bytes or, for wider integers, of 32 bits."""
    wide = values.dtype.itemsize > 1
    head = [(0x0C00 if wide else 0x0800) + values.ndim, *values.shape]
    body = b"".join(number.to_bytes(4, "big") for number in head) + values.astype(">i4" if wide else "u1").tobytes()
    raw(path, gzip.compress(body) if path.endswith(".gz") else body)


def matrices(path: str, values: dict[str, Any]) -> None:
    """Write a MATLAB file."""
    from scipy.io import savemat

    Path(path).parent.mkdir(parents=True, exist_ok=True)
    savemat(path, values)


def variants(name: str, arguments: str, mappable: bool = True, ordered: bool = True) -> list[Case]:
    """Return the calls that every source is held to: orders, shares, samplers, and arguments it must refuse.

    Args:
        name (str): The class, without its ending.
        arguments (str): What it takes first; the first of them is a path.
        mappable (bool): Whether it takes a sampler.
        ordered (bool): Whether MindSpore gives the rows in an order that the file system does not decide.
    """
    calls = [
        "shuffle=False",
        "",
        "num_samples=2" + ("" if mappable else ", shuffle=False"),
        "num_shards=2, shard_id=1, shuffle=False",
        "num_shards=2",
        "shard_id=0",
        "num_shards=2, shard_id=2",
        "num_samples=-1",
        "num_parallel_workers=0",
    ]
    if mappable:
        calls += [
            "sampler=SubsetSampler([1, 0, 1])",
            "num_shards=2, shard_id=0",
            "sampler=SequentialSampler(), shuffle=False",
            "sampler=SequentialSampler(), num_samples=1",
            "sampler=SequentialSampler(), num_shards=2, shard_id=0",
            "sampler=PKSampler(1)",
        ]
    if not ordered:
        some = ("num_samples=2", "num_shards=2, shard_id=1, shuffle=False", "num_shards=2, shard_id=0",
                "sampler=SubsetSampler([1, 0, 1])")  # fmt: skip
        calls = [call for call in calls if call not in some]
    made = [_call(name, arguments, call) for call in calls]
    _, comma, rest = arguments.partition(",")
    return [*made, *(_call(name, path + comma + rest) for path in ("'nothing'", "'empty'", "5"))]


def _call(name: str, *arguments: str) -> Case:
    return f"{name}Dataset({', '.join(part for part in arguments if part)})"


def folder(name: str) -> None:
    """Make an empty folder."""
    os.makedirs(name, exist_ok=True)
