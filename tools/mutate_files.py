"""What damaged files do: each is loaded, or refused by an error of sporax that names it; nothing else may happen.

    python tools/mutate_files.py                 # 10,000 files; writes tools/results/mutate_files.json
    python tools/mutate_files.py --count 500 --only png graph

File `number` of a format is always the same. Children load them, one after the other, under a limit of memory; one that says
nothing for a while is ended, and the next goes on behind the file that it was at.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import queue
import random
import resource
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

import sporax as ms
import sporax.dataset as ds
from sporax._src.sharding.parameter_file import Strategies, write_strategies
from sporax._src.sharding.parameter_layout import cut_of
from sporax._src.sharding.parameter_proto import CLASSES
from sporax.dataset import vision
from sporax.mindrecord import FileReader, FileWriter, MindPage

OUTCOMES = ("loaded", "own error", "raw error", "crash", "hang")
PATIENCE = 30.0  # seconds for one file
BATCH = 1000  # files for one child
MEMORY = 1 << 30  # what loading may take beyond what a child has at first
KEY = b"0123456789abcdef"


# --- mutations ----------------------------------------------------------------------------------------------------------


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """Return bytes with one to three of: flipped bits, a cut, noise inserted, a number changed, blocks exchanged."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        raw = rng.choice((_flip, _cut, _insert, _number, _exchange))(bytearray(raw or b"\0"), rng)
    return raw


def _place(raw: bytearray, rng: random.Random) -> int:
    """Return a place, rather one that is no filling."""
    for _ in range(20):
        place = rng.randrange(len(raw))
        if raw[place] not in b"\0 ":
            break
    return place


def _flip(raw: bytearray, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 4, 32))):
        raw[_place(raw, rng)] ^= 1 << rng.randrange(8)
    return bytes(raw)


def _cut(raw: bytearray, rng: random.Random) -> bytes:
    start = _place(raw, rng)
    del raw[start : rng.choice((len(raw), start + 1, start + rng.randrange(1, 64)))]
    return bytes(raw)


def _insert(raw: bytearray, rng: random.Random) -> bytes:
    start = _place(raw, rng)
    raw[start:start] = rng.choice((rng.randbytes(rng.randrange(1, 64)), b"[" * 3000, b"\0" * 8, b"\x1b[31m\xff"))
    return bytes(raw)


def _number(raw: bytearray, rng: random.Random) -> bytes:
    size, start = rng.choice((1, 2, 4, 8)), _place(raw, rng)
    value = rng.choice(
        (0, 1, 2 ** (8 * size) - 1, 2 ** (8 * size - 1), 2 ** (8 * size - 2), rng.randrange(2 ** (8 * size)))
    )
    raw[start : start + size] = value.to_bytes(size, rng.choice(("little", "big")))
    return bytes(raw)


def _exchange(raw: bytearray, rng: random.Random) -> bytes:
    size = rng.randrange(1, 64)
    first, second = sorted((_place(raw, rng), _place(raw, rng)))
    a, b = raw[first : first + size], raw[second : second + size]
    raw[second : second + size], raw[first : first + size] = a, b
    return bytes(raw)


def _within(
    unpack: Callable[[bytes], bytes], pack: Callable[[bytes], bytes]
) -> Callable[[bytes, random.Random], bytes]:
    """Return a mutation of what a file packs, or of the file."""
    return lambda raw, rng: pack(mutated(unpack(raw), rng)) if rng.random() < 0.7 else mutated(raw, rng)


def _in_zip(raw: bytes, rng: random.Random) -> bytes:
    """Mutate an entry of a zip, whose checksum is right again, or the zip."""
    if rng.random() < 0.3:
        return mutated(raw, rng)
    with zipfile.ZipFile(io.BytesIO(raw)) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    name = rng.choice(sorted(entries))
    entries[name] = mutated(entries[name], rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file:
        for entry, content in entries.items():
            file.writestr(entry, content)
    return out.getvalue()


# --- formats ------------------------------------------------------------------------------------------------------------


class Format(NamedTuple):
    """A kind of file.

    Attributes:
        file: The name of the file that is mutated, in a folder of its own.
        make: Writes the files of a folder.
        load: Reads everything in them.
        mutate: Makes a mutation of the file's bytes.
    """

    file: str
    make: Callable[[Path], Any]
    load: Callable[[Path], Any]
    mutate: Callable[[bytes, random.Random], bytes] = mutated


ARRAYS = {
    "net.weight": np.arange(12.0, dtype=np.float32).reshape(3, 4),
    "net.bias": np.ones(3, np.int64),
    "note": "héllo",
}
TENSORS = {name: value if isinstance(value, str) else ms.Tensor(value) for name, value in ARRAYS.items()}
NUMBERS = {name: value for name, value in TENSORS.items() if name != "note"}
SETTINGS = {"seed": 3, "prefetch_size": 8, "num_parallel_workers": 2, "logFilePath": "x"}
COLUMNS = {"columns": {"a": {"type": "int64", "rank": 1, "shape": [1]}, "b": {"type": "float32"}}, "numRows": 3}


def _records() -> bytes:
    feature = b"\n\x01f\x12\x0c\x12\n\n\x08" + np.array([0.5, 2], "<f4").tobytes()
    text = b"\n\x01t\x12\x0c\n\n\n\x02ab\n\x04abcd"
    number = b"\n\x01a\x12\x07\x1a\x05\n\x03\x07\x87\x01"
    features = b"".join(b"\n" + bytes([len(part)]) + part for part in (feature, text, number))
    message = b"\n" + bytes([len(features)]) + features
    return b"".join(len(m).to_bytes(8, "little") + bytes(4) + m + bytes(4) for m in (message, message, message))


def _tfrecord(kind: str | None, pack: Callable[[bytes], bytes], unpack: Callable[[bytes], bytes]) -> Format:
    def load(path: Path) -> None:
        rows = ds.TFRecordDataset(str(path), compression_type=kind, shuffle=False)
        list(rows.create_tuple_iterator(output_numpy=True, num_epochs=1))

    return Format("x.tfrecord", lambda path: path.write_bytes(pack(_records())), load, _within(unpack, pack))


def _mindrecord(path: Path) -> None:
    writer = FileWriter(str(path), overwrite=True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    numbers = {"type": "int32", "shape": [-1, 2]}
    writer.add_schema({"a": {"type": "int64"}, "t": {"type": "string"}, "b": {"type": "bytes"}, "v": numbers})
    writer.write_raw_data(
        [{"a": k, "t": f"row {k}", "b": b"x" * k, "v": np.full((2, 2), k << k, np.int32)} for k in range(20)]
    )
    writer.commit()


def _load_mindrecord(path: Path) -> None:
    path = path.with_suffix("") if path.suffix == ".db" else path
    list(FileReader(str(path)).get_next())
    pages = MindPage(str(path))
    for field in pages.candidate_fields:
        pages.category_field = field
        pages.read_category_info()
    list(ds.MindDataset(str(path), shuffle=False).create_tuple_iterator(output_numpy=True, num_epochs=1))


def _image(kind: str) -> Format:
    def make(path: Path) -> None:
        pixels = np.random.default_rng(0).integers(0, 255, (12, 9, 3), np.uint8)
        Image.fromarray(pixels).save(path, kind)

    def load(path: Path) -> None:
        vision.Decode()(np.fromfile(path, np.uint8))
        vision.read_image(str(path))

    return Format(f"x.{kind.lower()}", make, load)


def _export(path: Path) -> None:
    net = ms.nn.SequentialCell(ms.nn.Dense(4, 3), ms.nn.ReLU())
    ms.export(net, ms.Tensor(np.ones((2, 4), np.float32)), file_name=str(path), file_format="MINDIR")


def _run_graph(path: Path) -> None:
    ms.nn.GraphCell(ms.load(str(path)))(ms.Tensor(np.ones((2, 4), np.float32)))


def _unify(path: Path) -> None:
    folder = path.parent / "rank_0"
    folder.mkdir()
    ms.save_checkpoint(NUMBERS, str(folder / "net.safetensors"), format="safetensors")
    ms.unified_safetensors(str(path.parent), None, str(path.parent))


def _load_unified(path: Path) -> None:
    ms.load_distributed_checkpoint(None, unified_safetensors_dir=str(path.parent))


def _strategies(path: Path) -> None:
    cuts = {"0-net.weight": cut_of([2, 4], [0, [1]], 0, 0), "1-net.bias": cut_of([2, 2, 2], [-1, 2], 1, 2, [3, 1])}
    write_strategies(path, Strategies(cuts, {"MatMul_w": [[2, 1], [1, 4]]}))


def _load_strategies(path: Path) -> None:
    ms.rank_list_for_transform(0, str(path))
    ms.parallel.build_searched_strategy(str(path))


def _groups(path: Path) -> None:
    groups = CLASSES["ParallelGroupMap"]()
    groups.parallel_group_item.add(group_name="2-1").parallel_group_ranks.dim.extend([0, 1])
    groups.ckpt_restore_rank_list.dim.extend([0, 4])
    path.write_bytes(groups.SerializeToString())


def _safetensors(path: Path) -> None:
    ms.save_checkpoint(NUMBERS, str(path), format="safetensors")


def _coco(path: Path) -> None:
    told = {
        "images": [{"id": 9, "file_name": "9.bmp"}, {"id": 10, "file_name": "10.bmp"}],
        "categories": [{"id": 3, "name": "dog"}],
        "annotations": [{"id": k, "image_id": 9 + k % 2, "category_id": 3, "bbox": [1, 2, 3, 4]} for k in range(4)],
    }
    path.write_text(json.dumps(told))
    for name in ("9.bmp", "10.bmp"):
        Image.new("RGB", (4, 4)).save(path.with_name(name))


def _load_coco(path: Path) -> None:
    list(ds.CocoDataset(str(path.parent), str(path)).create_tuple_iterator(output_numpy=True, num_epochs=1))


def _mnist(path: Path) -> None:
    pixels = bytes(range(200)) * 12
    path.write_bytes(b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (3, 28, 28)) + pixels[: 3 * 784])
    path.with_name("t10k-labels-idx1-ubyte").write_bytes(b"\0\0\x08\x01\0\0\0\x03\1\2\3")


def _load_mnist(path: Path) -> None:
    list(ds.MnistDataset(str(path.parent), "test").create_tuple_iterator(output_numpy=True, num_epochs=1))


def _text(path: Path) -> None:
    path.write_text("1,2.5,abc\n" * 5)


def _load_csv(path: Path) -> None:
    rows = ds.CSVDataset(str(path), column_defaults=[1, 2.0, ""], column_names=["a", "b", "c"], shuffle=False)
    list(rows.create_tuple_iterator(output_numpy=True, num_epochs=1))


FORMATS = {
    "ckpt": Format(
        "x.ckpt", lambda p: ms.save_checkpoint(TENSORS, str(p), crc_check=True), lambda p: ms.load_checkpoint(str(p))
    ),
    "ckpt encrypted": Format(
        "x.ckpt",
        lambda p: ms.save_checkpoint(TENSORS, str(p), enc_key=KEY, enc_mode="AES-CBC"),
        lambda p: ms.load_checkpoint(str(p), dec_key=KEY, dec_mode="AES-CBC"),
    ),
    "safetensors": Format("x.safetensors", _safetensors, lambda p: ms.load_checkpoint(str(p), format="safetensors")),
    "sharded": Format("part0.safetensors", _unify, _load_unified),
    "sharded map": Format("param_name_map.json", _unify, _load_unified),
    "strategies": Format("x.ckpt", _strategies, _load_strategies),
    "strategies json": Format("x.json", _strategies, _load_strategies),
    "groups": Format("x.pb", _groups, lambda p: ms.restore_group_info_list(str(p))),
    "graph": Format("x.mindir", _export, _run_graph, _in_zip),
    "mindrecord": Format("x.mindrecord", _mindrecord, _load_mindrecord),
    "mindrecord index": Format("x.mindrecord.db", lambda p: _mindrecord(p.with_suffix("")), _load_mindrecord),
    "tfrecord": _tfrecord(None, bytes, bytes),
    "tfrecord gzip": _tfrecord("GZIP", gzip.compress, gzip.decompress),
    "tfrecord zlib": _tfrecord("ZLIB", zlib.compress, zlib.decompress),
    "png": _image("PNG"),
    "jpeg": _image("JPEG"),
    "bmp": _image("BMP"),
    "coco": Format("x.json", _coco, _load_coco),
    "mnist": Format("t10k-images-idx3-ubyte", _mnist, _load_mnist),
    "csv": Format("x.csv", _text, _load_csv),
    "schema": Format("x.json", lambda p: p.write_text(json.dumps(COLUMNS)), lambda p: ds.Schema(str(p))),
    "config": Format("x.json", lambda p: p.write_text(json.dumps(SETTINGS)), lambda p: ds.config.load(str(p))),
}


# --- a child ------------------------------------------------------------------------------------------------------------


_CALLS = ("vision.Decode:", "load_distributed_checkpoint:", "CocoDataset:")  # of errors that name another file


def is_own(error: BaseException, path: Path) -> bool:
    """Tell whether an error is sporax's: of a class that is documented, of one line, and it names the file or the call."""
    text = str(error)
    named = path.stem in text or any(call in text for call in _CALLS)
    documented = (
        type(error) in (ValueError, RuntimeError) or "is no file of strategies" in text
    )  # a TypeError in MindSpore
    return documented and named and text.isprintable() and len(text) < 4000


def child(folder: Path, jobs: list[tuple[str, int]]) -> None:
    """Load files and tell of each: a line before, a line after."""
    originals = {}
    for name in dict.fromkeys(name for name, _ in jobs):
        path = folder / name.replace(" ", "_") / FORMATS[name].file
        path.parent.mkdir()
        FORMATS[name].make(path)
        FORMATS[name].load(path)
        originals[name] = path, path.read_bytes()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for name, number in jobs:
        path, raw = originals[name]
        path.write_bytes(FORMATS[name].mutate(raw, random.Random(f"{name} {number}")))
        print(json.dumps(["at"]), flush=True)
        print(json.dumps(_outcome(name, path)), flush=True)


def _outcome(name: str, path: Path) -> list[str]:
    try:
        FORMATS[name].load(path)
    except Exception as error:
        text = "".join(traceback.format_exception(error, limit=-3))
        return ["own error"] if is_own(error, path) else ["raw error", text[-1500:]]
    return ["loaded"]


# --- the parent ---------------------------------------------------------------------------------------------------------


def run(jobs: list[tuple[str, int]]) -> list[list[str]]:
    """Return the outcome of each job."""
    outcomes: list[list[str]] = []
    while len(outcomes) < len(jobs):
        outcomes += _of_child(jobs[len(outcomes) :][:BATCH])
    return outcomes


def child_command(folder: str) -> list[str]:
    """Return what starts a child."""
    return [sys.executable, "-W", "ignore", __file__, "--child", folder]


def _of_child(jobs: list[tuple[str, int]]) -> list[list[str]]:
    """Return the outcomes up to the file that ended a child, or of all."""
    lines: queue.Queue[str] = queue.Queue()
    found: list[list[str]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile("w+") as jobs_file,
        tempfile.TemporaryFile() as told,
    ):
        json.dump(jobs, jobs_file)
        jobs_file.seek(0)
        with subprocess.Popen(
            child_command(folder), stdin=jobs_file, stdout=subprocess.PIPE, stderr=told, text=True, errors="replace"
        ) as process:
            assert process.stdout is not None
            threading.Thread(target=_collect, args=(process.stdout, lines), daemon=True).start()
            started, patience = False, 300.0  # at first it makes its files
            while len(found) < len(jobs):
                try:
                    line = lines.get(timeout=patience)
                except queue.Empty:
                    process.kill()
                    line = "hang"
                if not line.startswith("["):
                    process.wait()
                    told.seek(max(told.seek(0, 2) - 1500, 0))
                    text = f"status {process.returncode}: {told.read().decode(errors='replace')}"
                    if not started:
                        raise RuntimeError(f"the child did not begin: {text}")
                    return [*found, [line or "crash", text]]
                started, patience = True, PATIENCE
                if json.loads(line)[0] != "at":
                    found.append(json.loads(line))
    return found


def _collect(stream: Any, lines: queue.Queue[str]) -> None:
    for line in stream:
        if line.startswith("["):
            lines.put(line)
    lines.put("")  # the end


def main() -> None:
    """Count the outcomes of each format."""
    parser = argparse.ArgumentParser(description="Load damaged files of every format that sporax reads.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of each format's first file")
    parser.add_argument("--only", nargs="*", choices=list(FORMATS), default=list(FORMATS))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "mutate_files.json")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child is not None:
        warnings.simplefilter("ignore")
        child(args.child, [(name, number) for name, number in json.load(sys.stdin)])
        return
    names = list(args.only)
    jobs = [(names[k % len(names)], args.first + k // len(names)) for k in range(args.count)]
    outcomes = run(jobs)
    counts: dict[str, dict[str, int]] = {name: dict.fromkeys(OUTCOMES, 0) for name in names}
    bad: list[dict[str, Any]] = []
    for (name, number), (outcome, *text) in zip(jobs, outcomes, strict=True):
        counts[name][outcome] += 1
        if text:
            bad.append({"format": name, "number": number, "outcome": outcome, "text": text[0]})
    total = Counter()
    for found in counts.values():
        total.update(found)
    args.out.write_text(
        json.dumps({"files": args.count, "total": total, "formats": counts, "bad": bad}, indent=1) + "\n"
    )
    for name, found in {**counts, "total": dict(total)}.items():
        print(f"{name:18}" + "".join(f"{outcome:>12} {found[outcome]:>6}" for outcome in OUTCOMES))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
