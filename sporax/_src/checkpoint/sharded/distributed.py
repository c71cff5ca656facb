"""Checkpoints of runs on several devices: unified in a folder of safetensors files, and loaded into a network."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.atomic import replacing_all, settled
from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.serialization import load_checkpoint, load_param_into_net, of_file
from sporax._src.checkpoint.sharded.slices import Cuts, Layouts, Pieces, cuts_for, needed_devices, recut
from sporax._src.checkpoint.sharded.transforming import files_of_ranks
from sporax._src.core.parameter import Parameter
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes.parallel_context import get_auto_parallel_context
from sporax._src.processes.world import world
from sporax._src.sharding.parameter_layout import Cut, cut_of, whole_cut

_MAP, _OTHERS = "param_name_map.json", "hyper_param.safetensors"
_PART = 3 * 2**30  # bytes of a file
_UNIFIED, _LOAD = "unified_safetensors", "load_distributed_checkpoint"


# --- unified_safetensors ------------------------------------------------------------------------------------------------


def unified_safetensors(
    src_dir: str | os.PathLike[str],
    src_strategy_file: str | None,
    dst_dir: str | os.PathLike[str],
    merge_with_redundancy: bool = True,
    file_suffix: str | None = None,
    max_process_num: int = 64,
    choice_func: Callable[[str], Any] | None = None,
    split_dst_file: tuple[int, ...] = (),
) -> None:
    """Merge the `.safetensors` files of a run's processes into one folder of whole Parameters.

    The folder holds `part0.safetensors`, `part1.safetensors`, ... of up to 3 GiB, `param_name_map.json`, which says where each
    Parameter is, and `hyper_param.safetensors` with the values that the strategies do not name. If the process is
    killed, sporax loads either the old files of the folder or the new ones, never a mixture.

    Args:
        src_dir: The folder with `rank_0`, `rank_1`, ...; the last file in each is used.
        src_strategy_file: The file of strategies by which Parameters were cut; None: each process has whole Parameters.
        dst_dir: The folder to write.
        merge_with_redundancy: Whether each process has saved all of its pieces; otherwise each has saved only pieces
            that no other has. Files that record this themselves (see `CheckpointConfig`) override it.
        file_suffix: The end of the names of the files to use, before `.safetensors`.
        choice_func: Returns, for a name, whether its Parameter is used: a bool, or a string that becomes its new name.
        max_process_num: Accepted for MindSpore programs.
        split_dst_file: `(k, n)`: writes only the `k`-th of `n` shares of the files. Each share replaces files
            separately, so the shares need a new folder.

    Raises:
        TypeError: If an argument has another type, or the file of strategies is none.
        ValueError: If files or pieces are missing, damaged, or fit neither each other nor the strategies.
    """
    layouts = Layouts(src_strategy_file, _UNIFIED)
    files = files_of_ranks(src_dir, _UNIFIED, file_suffix or "")
    if next(iter(files.values())).suffix != ".safetensors":
        raise ValueError(f"{_UNIFIED}: {shown(src_dir)} must hold files '*.safetensors', not '*.ckpt'.")
    source = layouts.cuts()
    told = {FORMATS["safetensors"].is_deduplicated(file) for file in files.values()} - {None}
    wanted = set(files)
    if source is not None and not (True in told or (not merge_with_redundancy and False not in told)):
        wanted = {s * layouts.devices + d for s in range(layouts.stages) for d in needed_devices(0, source, None)}
        if missing := wanted - set(files):
            raise ValueError(f"{_UNIFIED}: the file of rank {min(missing)} is needed, and missing.")
    found, others = _whole({rank: files[rank] for rank in sorted(wanted)}, layouts, choice_func)
    groups = _parts({name: array.nbytes for name, array in found.items()})
    first, end = _share(split_dst_file, len(groups))
    folder = Path(dst_dir)
    file_of = {name: f"part{i}.safetensors" for i, names in enumerate(groups) for name in names}
    with replacing_all(folder, make=True) as new:
        for i in range(first, end):
            FORMATS["safetensors"].write(new / f"part{i}.safetensors", {name: found[name] for name in groups[i]})
        if first == 0:
            if others or (folder / _OTHERS).exists():
                FORMATS["safetensors"].write(new / _OTHERS, others)
            total = sum(array.nbytes for array in found.values())
            (new / _MAP).write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": file_of}, indent=4))


def _whole(
    files: Mapping[int, Path], layouts: Layouts, choice: Callable[[str], Any] | None
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the whole Parameters of the files by their new names, and the values that the strategies do not name."""
    pieces: Pieces = {}
    names: dict[str, str] = {}
    for rank, file in sorted(files.items(), reverse=True):  # of what several stages have, that of the first counts
        for name, array in FORMATS["safetensors"].read(file).items():
            if name not in names:
                chosen = _chosen(name, choice)
                names[name] = chosen if isinstance(chosen, str) else name if chosen else ""
            if names[name] and not name.startswith("accu_grads"):
                pieces.setdefault(name, {})[rank % layouts.devices] = array
    if layouts.is_whole:
        return {names[name]: by_device[min(by_device)] for name, by_device in sorted(pieces.items())}, {}
    named = {name: by_device for name, by_device in sorted(pieces.items()) if name in layouts.names}
    others = {names[name]: by_device[min(by_device)] for name, by_device in pieces.items() if name not in named}
    return {names[name]: array for name, array in recut(named, layouts.cuts(), None, 0, _UNIFIED).items()}, others


def _chosen(name: str, choice: Callable[[str], Any] | None) -> Any:
    chosen = True if choice is None else choice(name)
    if not isinstance(chosen, (bool, str)):
        raise ValueError(f"{_UNIFIED}: choice_func must return a bool or a string, got {describe(chosen)}.")
    return chosen


def _parts(sizes: Mapping[str, int]) -> list[list[str]]:
    """Return names in groups of about equal size, not much above 3 GiB."""
    count = max(1, min(math.ceil(sum(sizes.values()) / _PART), len(sizes)))
    groups: list[list[str]] = [[] for _ in range(count)]
    weights = [0] * count
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        lightest = weights.index(min(weights))
        groups[lightest].append(name)
        weights[lightest] += sizes[name]
    return groups


def _share(split: object, count: int) -> tuple[int, int]:
    if not split:
        return 0, count
    if not (
        isinstance(split, tuple)
        and len(split) == 2
        and all(type(n) is int for n in split)
        and 1 <= split[0] <= split[1]
    ):
        raise ValueError(f"{_UNIFIED}: split_dst_file must be a tuple (k, n) of ints, 1 <= k <= n, got {split!r}.")
    each, more = divmod(count, split[1])
    first = each * (split[0] - 1) + min(split[0] - 1, more)
    return first, first + each + (split[0] <= more)


# --- load_distributed_checkpoint ----------------------------------------------------------------------------------------


def load_distributed_checkpoint(
    network: Cell | None,
    checkpoint_filenames: Sequence[str] | None = None,
    predict_strategy: object = None,
    train_strategy_filename: str | None = None,
    strict_load: bool = False,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    format: str = "ckpt",
    unified_safetensors_dir: str | os.PathLike[str] | None = None,
    dst_safetensors_dir: str | os.PathLike[str] | None = None,
    rank_id: int | None = None,
    output_format: str = "safetensors",
    name_map: dict[str, str] | None = None,
    max_process_num: int = 64,
    return_param_dict: bool = False,
) -> Any:
    """Load the checkpoint of a run on several devices into a network, which may itself be sharded.

    Args:
        network: The network; None to write or return the Parameters only.
        checkpoint_filenames: The files of all processes, in their order.
        predict_strategy: How the network's Parameters are cut: a file of strategies, or layouts by name as
            `Model.infer_predict_layout` returns them; None: they are loaded whole.
        train_strategy_filename: The file of strategies that the checkpoint was saved with. None: the file of
            `set_auto_parallel_context(strategy_ckpt_load_file=...)`; without one, each file has whole Parameters, and
            the first file is used.
        strict_load: See `load_param_into_net`.
        format: `"ckpt"` or `"safetensors"`.
        unified_safetensors_dir: A folder that `unified_safetensors` wrote, instead of files.
        dst_safetensors_dir: A folder to write the Parameters to, as `rank_0/net.<output_format>`, `rank_1/...` of all processes.
            The new files replace all old ones, or none if the process is killed.
        output_format: `"safetensors"` or `"ckpt"`.
        name_map: Names in the files by names in the network.
        return_param_dict: Whether to return the Parameters by name.
        dec_key, dec_mode: The key and the mode of the encryption (see `save_checkpoint`).
        rank_id: The process whose Parameters are written or returned; None: those of all are written, and those of this
            process returned.
        max_process_num: Accepted for MindSpore programs.

    Raises:
        TypeError: If an argument has another type, or a file is no file of strategies.
        ValueError: If neither files nor a folder is given; if what they hold is damaged, missing, or does not fit the strategies.

    Returns:
        What `load_param_into_net` returns, or the Parameters by name.
    """
    target = _target(predict_strategy)
    rank = world().rank if rank_id is None else rank_id
    if unified_safetensors_dir is not None:
        read = _Unified(Path(unified_safetensors_dir), name_map or {}).read
    elif checkpoint_filenames:
        read = _Files(checkpoint_filenames, train_strategy_filename, name_map or {}, format, dec_key, dec_mode).read
    else:
        raise ValueError(f"{_LOAD}: give checkpoint_filenames or unified_safetensors_dir.")
    if dst_safetensors_dir is not None:
        _check_output(output_format)
        ranks = range(target.devices * target.stages) if rank_id is None else [rank_id]
        with replacing_all(dst_safetensors_dir, make=True) as new:
            for each in ranks:
                (new / f"rank_{each}").mkdir()
                FORMATS[output_format].write(new / f"rank_{each}" / f"net.{output_format}", read(target, each))
        if not return_param_dict and network is None:
            return True
    found = {name: of_file(name, array) for name, array in read(target, rank).items()}
    if return_param_dict or network is None:
        return found
    return load_param_into_net(network, found, strict_load)


def _check_output(format: str) -> None:
    if format not in FORMATS:
        raise ValueError(f"{_LOAD}: output_format must be one of {', '.join(FORMATS)}, got {format!r}.")


class _Given:
    """Layouts from a program, in the form that `Model.infer_predict_layout` returns."""

    is_whole, stages = False, 1

    def __init__(self, layouts: dict[str, Any]) -> None:
        self._cuts = {name: _cut_given(name, layout) for name, layout in layouts.items()}
        self.names = set(self._cuts)
        self.devices = next(iter(self._cuts.values()), whole_cut(0)).devices

    def cuts(self, stage: int | None = None) -> Cuts:
        return dict(self._cuts)


def _cut_given(name: object, layout: Any) -> Cut:
    try:
        matrix, tensor_map, group = layout[0], layout[1], layout[5] if len(layout) > 5 else ""
        parts = int(group.partition("-")[0]) if group else 0
        return cut_of(matrix, tensor_map, int(bool(parts)), parts)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ValueError(
            f"{_LOAD}: predict_strategy must have lists by name that begin with dev_matrix and tensor_map, got {shown(name)!r}: "
            f"{layout!r:.80} ({shown(error)})."
        ) from None


def _target(strategy: object) -> Any:
    if not isinstance(strategy, Mapping):
        return Layouts(strategy, _LOAD)
    return _Given(dict(strategy)) if strategy else Layouts(None, _LOAD)


class _Files:
    """The files of all processes of a run."""

    def __init__(
        self, names: Sequence[str], strategies: object, name_map: Mapping[str, str], format: str, key: object, mode: str
    ) -> None:
        self._source = Layouts(strategies or get_auto_parallel_context("strategy_ckpt_load_file") or None, _LOAD)
        count = self._source.devices * self._source.stages
        if not self._source.is_whole and len(names) != count:
            raise ValueError(
                f"{_LOAD}: the strategies are of {count} devices, and {len(names)} checkpoint_filenames are given."
            )
        self._names, self._named = list(names), {file: own for own, file in name_map.items()}
        self._options = {"format": format, "dec_key": key, "dec_mode": mode}

    def read(self, target: Any, rank: int) -> dict[str, np.ndarray]:
        """Return the Parameters of a process."""
        if self._source.is_whole:
            pieces = {}
            for file in self._names:
                pieces = {name: {0: array} for name, array in self._read(file)} | pieces
            return recut(pieces, None, target.cuts(_stage(target, rank)), rank % target.devices, _LOAD)
        before, after = cuts_for(rank, self._source, target, _LOAD)
        devices = needed_devices(rank % target.devices, before, after)
        pieces = {}
        for number in reversed(range(len(self._names))):
            if number % self._source.devices in devices:
                for name, array in self._read(self._names[number]):
                    if before is None or name in before or name not in self._source.names:
                        pieces.setdefault(name, {})[number % self._source.devices] = array
        return recut(pieces, before, after, rank % target.devices, _LOAD)

    def _read(self, file: str) -> Iterable[tuple[str, np.ndarray]]:
        for name, value in load_checkpoint(file, **self._options).items():
            yield self._named.get(name, name), value.asnumpy() if isinstance(value, Parameter) else np.array(value)


def _stage(target: Any, rank: int) -> int | None:
    return None if target.is_whole else rank // target.devices


class _Unified:
    """A folder that `unified_safetensors` wrote; only the requested pieces of its arrays are read."""

    def __init__(self, folder: Path, name_map: Mapping[str, str]) -> None:
        if not folder.is_dir():
            raise ValueError(f"{_LOAD}: {shown(folder)} is no folder.")
        self._folder, self._named = folder, {file: own for own, file in name_map.items()}
        with settled(folder):
            self._file_of = self._find_files()
            self._files = sorted(set(self._file_of.values()))
            self._state = self._now()

    def _find_files(self) -> dict[str, str]:
        """Return the file of each Parameter."""
        folder = self._folder
        files = [file.name for file in folder.glob("*.safetensors")]
        if (folder / _MAP).is_file():
            file_of = _read_map(folder / _MAP)
        elif len(files) == 1:
            file_of = dict.fromkeys(_names(folder / files[0]), files[0])
        else:
            raise ValueError(f"{_LOAD}: {folder} has no {_MAP}, as unified_safetensors writes it.")
        if _OTHERS in files:
            file_of |= {name: _OTHERS for name in _names(folder / _OTHERS) if name not in file_of}
        held = {file: _names(folder / file) for file in set(file_of.values())}
        if lacking := [name for name, file in file_of.items() if name not in held[file]]:
            names = ", ".join(shown(name) for name in lacking[:5])
            raise ValueError(f"{_LOAD}: {_MAP} names what its files do not hold: {names}.")
        return file_of

    def _now(self) -> list[tuple[int, int]]:
        states = (os.stat(self._folder / file) for file in self._files)
        return [(state.st_ino, state.st_mtime_ns) for state in states]

    def read(self, target: Any, rank: int) -> dict[str, np.ndarray]:
        """Return the Parameters of a process, only its piece of each."""
        cuts = target.cuts(_stage(target, rank))
        elsewhere = target.names - set(cuts or ())
        if cuts == {}:
            raise ValueError(
                f"{_LOAD}: rank {rank} is of stage {rank // target.devices}, and there are {target.stages}."
            )

        def wanted(name: str, shape: tuple[int, ...]) -> Any:
            own = self._named.get(name, name)
            if self._file_of.get(name) != file or own in elsewhere:
                return None
            if cuts is None or own not in cuts:
                return ()
            try:
                return cuts[own].box(rank % target.devices, shape)
            except ValueError as error:
                raise _NoFit(f"{_LOAD}: '{shown(own)}' does not fit predict_strategy: {error}.") from None

        found = {}
        with settled(self._folder):
            if self._now() != self._state:
                raise ValueError(f"{_LOAD}: {shown(self._folder)} was replaced while it was read; load it again.")
            for file in self._files:
                try:
                    found |= FORMATS["safetensors"].read_parts(self._folder / file, wanted)
                except _NoFit as error:
                    raise ValueError(str(error)) from None
        return {self._named.get(name, name): found[name] for name in self._file_of if name in found}


class _NoFit(Exception):
    """An array cannot be cut in the requested way."""


def _names(path: Path) -> set[str]:
    found: set[str] = set()
    FORMATS["safetensors"].read_parts(path, lambda name, shape: found.add(name))
    return found


def _read_map(path: Path) -> dict[str, str]:
    try:
        files = parse_json(path.read_bytes())
        if isinstance(files, dict) and isinstance(files.get("weight_map"), dict):
            files = files["weight_map"]
        beside = all(isinstance(part, str) and Path(part).name == part for part in files.values())
    except (ValueError, AttributeError):
        files, beside = {}, False
    if not files or not beside:
        raise ValueError(
            f'{_LOAD}: {shown(path)} must be JSON like {{"weight_map": {{"NAME": "FILE BESIDE IT"}}}}, as '
            "unified_safetensors writes it."
        )
    if absent := [part for part in dict.fromkeys(files.values()) if not os.path.isfile(path.parent / part)]:
        names = ", ".join(shown(part) for part in absent[:5])
        raise ValueError(f"{_LOAD}: {_MAP} names files that are not there: {names}.")
    return files
