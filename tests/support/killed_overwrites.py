"""Sets of files that are overwritten by processes that are killed: what is read then is the old set or the new one, whole.

python killed_overwrites.py KIND FOLDER KILLS SEED: prints how the kills ended, as JSON.

This process imports sporax once and forks: a child writes version after version of a set, and is killed, in every second case just
before one of its calls of the file system, each in turn, and otherwise at a random moment. Two other children then read the set at
the same time, or the next child overwrites what was left.
"""

import importlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import cache, partial
from pathlib import Path

import numpy as np

import sporax as ms
from sporax.mindrecord import FileReader, FileWriter

KINDS = ("mindrecord", "unified", "transformed", "distributed", "orbax", "landscape", "summary")
_GOLDEN = 0.6180339887498949  # whose multiples, modulo 1, are spread evenly
_STEPS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "open", "shutil.copyfile")


# --- the sets: each writes a version, and reads which versions there are -------------------------------------------------


class MindRecord:
    """Three files and their indexes."""

    def write(self, folder: Path, version: int) -> None:
        writer = FileWriter(str(folder / "rows"), 3, overwrite=True)
        writer.set_header_size(1 << 14)
        writer.set_page_size(1 << 15)
        writer.add_schema({"version": {"type": "int32"}, "data": {"type": "bytes"}})
        for _ in range(4):
            writer.write_raw_data([{"version": version, "data": bytes(3000)}] * 12)
        writer.commit()

    def read(self, folder: Path) -> set[int]:
        rows = [row["version"] for row in FileReader(str(folder / "rows1")).get_next()]
        assert len(rows) == 48, len(rows)
        return set(rows)


def _filled(version: int) -> dict[str, np.ndarray]:
    return {name: np.full((8, 8), version, np.float32) for name in ("a.weight", "b.weight", "c.weight")}


def _source(folder: Path, version: int, format: str) -> Path:
    """Write what is put together or written anew: a run of two processes of a version."""
    source = folder.parent / "source"
    for rank in range(2):
        (source / f"rank_{rank}").mkdir(parents=True, exist_ok=True)
        _format(format).write(source / f"rank_{rank}" / f"net.{format}", _filled(version))
    return source


def _format(name: str):
    from sporax._src.checkpoint.formats import FORMATS

    return FORMATS[name]


def _versions(arrays) -> set[int]:
    return {int(number) for array in arrays.values() for number in np.unique(np.asarray(array))}


class Unified:
    """`part0.safetensors`, ... and the map of their names."""

    def write(self, folder: Path, version: int) -> None:
        from sporax._src.checkpoint.sharded import distributed

        distributed._PART = 300  # a file for each Parameter
        ms.unified_safetensors(str(_source(folder, version, "safetensors")), None, str(folder))

    def read(self, folder: Path) -> set[int]:
        from sporax._src.checkpoint.sharded import (
            distributed,  # what `load_distributed_checkpoint` does, without Tensors
        )

        found = distributed._Unified(folder, {}).read(distributed._target(None), 0)
        assert len(found) == 3, found
        return _versions(found)


def _loaded(file: Path) -> set[int]:
    """Do as `load_checkpoint` does, without Tensors, for which each process would start a device."""
    from sporax._src.checkpoint.serialization import _existing

    format = file.suffix[1:]
    return _versions(_format(format).read(_existing(file, format)))


class OfRanks:
    """A file for each of four processes in a folder of its own."""

    def __init__(self, write, name: str, format: str) -> None:
        self._write, self._name, self._format = write, name, format

    def write(self, folder: Path, version: int) -> None:
        self._write(_source(folder, version, self._format), folder)

    def read(self, folder: Path) -> set[int]:
        files = [folder / f"rank_{rank}" / self._name.format(rank) for rank in range(4)]
        return set().union(*map(_loaded, files))


@cache
def _strategies(folder: Path) -> str:
    from sporax._src.sharding.parameter_file import Strategies, write_strategies
    from sporax._src.sharding.parameter_layout import cut_of

    file = str(folder / "strategies.ckpt")
    write_strategies(file, Strategies({name: cut_of([4], [0, -1]) for name in _filled(0)}))
    return file


def _transformed(source: Path, folder: Path) -> None:
    ms.transform_checkpoints(str(source), str(folder), "net", None, _strategies(folder.parent))


def _distributed(source: Path, folder: Path) -> None:
    files = [str(source / f"rank_{rank}" / "net.safetensors") for rank in range(2)]
    layouts = {name: [[4], [0, -1]] for name in _filled(0)}
    ms.load_distributed_checkpoint(None, files, layouts, format="safetensors", dst_safetensors_dir=str(folder))


class Orbax:
    """A state in Orbax's format."""

    def write(self, folder: Path, version: int) -> None:
        from sporax._src.checkpoint import orbax_folder

        orbax_folder.write(folder / "state", _filled(version), {"version": version})

    def read(self, folder: Path) -> set[int]:
        from sporax._src.checkpoint import orbax_folder

        found = orbax_folder.Reading(folder / "state")
        return {found.told["version"]} | _versions(found.arrays(dict.fromkeys(found.shapes)))


class Landscape:
    """The weights that a `SummaryCollector` keeps for a landscape."""

    def write(self, folder: Path, version: int) -> None:
        from sporax._src.train.callbacks.landscape import WeightCollector

        args = ms.train.callback.InternalCallbackParam()
        args.network, args.batch_num = ms.nn.Cell(), 3
        args.network.w = ms.Parameter(np.full((4, 4), version, np.float32), name="w")
        collector = WeightCollector(folder, {"intervals": [[1, 2, 3]], "num_samples": version})
        for args.cur_step_num in (1, 2, 3):
            collector.keep("step", args)
        collector.finish(args)

    def read(self, folder: Path) -> set[int]:
        from sporax._src.base.atomic import settled

        with settled(folder / "ckpt_dir"):
            told = json.loads((folder / "ckpt_dir" / "train_metadata.json").read_text())
        files = told["model_params_file_map"].values()
        assert len(files) == 3
        return {told["num_samples"]}.union(*(_loaded(Path(file)) for file in files))


class Summary:
    """Event files: each record has its own, and nothing is overwritten; a file that is cut short has its first values."""

    def write(self, folder: Path, version: int) -> None:
        with ms.SummaryRecord(str(folder)) as record:
            for step in range(1, 41):
                record.add_value("scalar", "version", ms.Tensor(np.float32(version)))
                record.record(step)
                record.flush()

    def read(self, folder: Path) -> set[int]:
        from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

        ended = set()
        for file in folder.iterdir():
            found = [(e.step, v.tensor.float_val) for e in EventFileLoader(str(file)).Load() for v in e.summary.value]
            versions = {int(value[0]) for _, value in found}
            assert len(versions) < 2 and [step for step, _ in found] == list(range(1, len(found) + 1)), found
            if len(found) == 40:
                ended |= versions
        return {max(ended)}


SETS = {
    "mindrecord": MindRecord(),
    "unified": Unified(),
    "transformed": OfRanks(_transformed, "net{}.ckpt", "ckpt"),
    "distributed": OfRanks(_distributed, "net.safetensors", "safetensors"),
    "orbax": Orbax(),
    "landscape": Landscape(),
    "summary": Summary(),
}


# What children would each load by themselves; none of it starts threads, or a device.
_LOADED = {
    **dict.fromkeys(
        ("unified", "transformed", "distributed"),
        ("sporax._src.checkpoint.sharded.distributed", "sporax._src.sharding.parameter_proto", "safetensors.numpy"),
    ),
    "orbax": ("orbax.checkpoint", "sporax._src.checkpoint.orbax_folder"),
    "landscape": ("sporax._src.train.callbacks.landscape",),
    "summary": (
        "tensorboard.backend.event_processing.event_file_loader",
        "tensorboard.plugins.histogram.summary_v2",
        "tensorboard.plugins.text.summary_v2",
        "tensorboard.summary.writer.event_file_writer",
    ),
}


# --- kills ---------------------------------------------------------------------------------------------------------------


def killed(kind: str, folder: Path, kills: int, rng: random.Random) -> dict[str, int]:
    """Overwrite a set so often, each time in a process that is killed; return how often the old or the new one was read.

    Args:
        kind: One of `KINDS`.
        folder: Where files go.
        kills: How many.
        rng: What chooses the moments.

    Raises:
        AssertionError: If what is read is neither.
    """
    subject, folder = SETS[kind], folder / "set"
    folder.mkdir(parents=True)
    for module in _LOADED.get(kind, ()):
        importlib.import_module(module)
    write = partial(subject.write, folder)
    steps = _told(partial(_counted, write, 0, folder))  # also the first version
    length = _time(partial(write, 1))
    version = old = 1
    told = Counter(kills=0, old=0, new=0)
    while told["kills"] < kills:
        version += 1
        step = (
            int((version // 2 * _GOLDEN % 1) ** 0.5 * steps) + 1 if steps and version % 2 else 0
        )  # the last ones more often
        moment = rng.triangular(0, 1.3 * length, length)
        died = _killed(partial(_stopped, write, version, folder, step), 0 if step else moment)
        told["kills"] += died
        readers = [_fork(partial(_read, subject, folder)) for _ in range(2)]
        found = [_answer(reader) for reader in readers]
        assert found[0] == found[1] and len(found[0]) == 1, (kind, version, step, old, found)
        (got,) = found[0]
        assert got == version or (died and got == old), (kind, version, step, old, got)
        told["new" if got == version else "old"] += died
        old = got
        if steps and not version % 3:  # without a reader between
            _killed(partial(_stopped, write, version, folder, rng.randint(1, steps)), 0)
            (old,) = _told(partial(_read, subject, folder))
    _told(partial(write, version + 1))
    assert _told(partial(_read, subject, folder)) == [version + 1]
    left = [str(path) for path in folder.rglob(".sporax-*")]
    assert not left, left
    return {**told, "overwrites": version - 1, "steps": steps}


def killed_alone(kind: str, folder: Path, kills: int) -> dict[str, int]:
    """Call `killed` in a process of its own, which has no threads yet; return what it returns.

    Raises:
        AssertionError: If it fails.
    """
    command = [sys.executable, "-W", "ignore", __file__, kind, str(folder / kind), str(kills), "0"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _read(subject, folder: Path) -> list[int]:
    return sorted(subject.read(folder))


def _counted(write, version: int, folder: Path) -> int:
    count = [0]
    sys.addaudithook(lambda name, args: count.__setitem__(0, count[0] + _is_step(folder, name, args)))
    write(version)
    return count[0] if count[0] > 1 else 0  # a file that is opened once and written on has no steps


def _stopped(write, version: int, folder: Path, step: int) -> None:
    """Write, and be killed before a step, if one is given."""
    left = [step]

    def hook(name, args) -> None:
        if _is_step(folder, name, args):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    if step:
        sys.addaudithook(hook)
    write(version)


def _is_step(folder: Path, name: str, args) -> bool:
    return name in _STEPS and str(args[0]).startswith(str(folder))


def _fork(job) -> tuple[int, int]:
    """Have a child do a job; return its number, and where it tells what came."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        os.close(reading)
        os.write(writing, json.dumps(job()).encode())
        os._exit(0)
    except BaseException as error:
        os.write(writing, json.dumps(f"{type(error).__name__}: {error}").encode())
    os._exit(1)


def _answer(child: tuple[int, int]):
    number, reading = child
    with open(reading, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(number, 0)
    assert status == 0, told
    return json.loads(told)


def _told(job):
    return _answer(_fork(job))


def _time(job) -> float:
    began = time.monotonic()
    _told(job)
    return time.monotonic() - began


def _killed(job, seconds: float) -> bool:
    """Have a child do a job, killed after so many seconds, if any; return whether it was killed."""
    number, reading = _fork(job)
    if seconds:
        time.sleep(seconds)
        os.kill(number, signal.SIGKILL)
    with open(reading, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(number, 0)
    assert status in (0, signal.SIGKILL), told
    return status != 0


if __name__ == "__main__":
    KIND, FOLDER, KILLS, SEED = sys.argv[1:]
    print(json.dumps(killed(KIND, Path(FOLDER), int(KILLS), random.Random(int(SEED)))))
