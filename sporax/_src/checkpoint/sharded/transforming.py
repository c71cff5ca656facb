"""Conversion of checkpoints of runs on several devices to another number of devices or to other strategies."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sporax._src.base.atomic import replacing_all, settle, settled
from sporax._src.base.errors import describe, shown
from sporax._src.checkpoint import background
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.sharded.slices import Layouts, cuts_for, needed_devices, recut

_ACCUMULATED = ("accu_grads", "adam_v", "adam_m")


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Return the numbers of the processes whose checkpoints one process needs after a change of strategies, greatest first.

    Args:
        rank_id: The number of the process.
        src_strategy_file: The file of strategies that the checkpoints were saved with; None: each has whole Parameters.
        dst_strategy_file: The file of strategies to continue with; None: Parameters are whole.

    Raises:
        TypeError: If `rank_id` is not an int, or a file is no file of strategies.
        ValueError: If a file is not there, or damaged.

    Examples:
        >>> import sporax as ms
        >>> ms.rank_list_for_transform(0)
        [0]
    """
    caller = "rank_list_for_transform"
    _check_rank(caller, rank_id)
    if src_strategy_file is None:
        return [0]
    return _ranks_for(rank_id, Layouts(src_strategy_file, caller), Layouts(dst_strategy_file, caller), caller)


def rank_list_for_convert(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Return what `rank_list_for_transform` returns."""
    return rank_list_for_transform(rank_id, src_strategy_file, dst_strategy_file)


def _check_rank(caller: str, rank: object) -> None:
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError(f"{caller}: rank_id must be an int, got {describe(rank)}.")
    if rank < 0:
        raise ValueError(f"{caller}: rank_id must be >= 0, got {rank}.")


def _ranks_for(rank: int, source: Layouts, target: Layouts, caller: str) -> list[int]:
    if source.is_whole:
        return [0]
    before, after = cuts_for(rank, source, target, caller)
    devices = needed_devices(rank % target.devices, before, after)
    stages = {stage for name in before or () for stage in source.stages_of(name)}
    return sorted({stage * source.devices + device for stage in stages for device in devices}, reverse=True)


# --- one process --------------------------------------------------------------------------------------------------------


def transform_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: dict[int, str],
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Write the checkpoint that one process needs after a change of strategies.

    Args:
        rank_id: The number of the process.
        checkpoint_files_map: The `.ckpt` files of the processes that `rank_list_for_transform` names, by their numbers.
        save_checkpoint_file_name: The `.ckpt` file to write.
        src_strategy_file, dst_strategy_file: See `rank_list_for_transform`.

    Raises:
        TypeError: If an argument has another type, or a file is no file of strategies.
        ValueError: If a file is not there or damaged, a piece is missing, or pieces do not fit their strategies.
    """
    caller = "transform_checkpoint_by_rank"
    _check_rank(caller, rank_id)
    if not isinstance(checkpoint_files_map, dict):
        raise TypeError(f"{caller}: checkpoint_files_map must be a dict, got {describe(checkpoint_files_map)}.")
    if not isinstance(save_checkpoint_file_name, str):
        raise TypeError(
            f"{caller}: save_checkpoint_file_name must be a string, got {describe(save_checkpoint_file_name)}."
        )
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError(
            f"{caller}: save_checkpoint_file_name must end with '.ckpt', got {save_checkpoint_file_name!r}."
        )
    for rank, file in checkpoint_files_map.items():
        settle(file)
        if not os.path.isfile(file):
            raise ValueError(f"{caller}: the file of rank {rank}, {shown(file)}, does not exist.")
    source, target = Layouts(src_strategy_file, caller), Layouts(dst_strategy_file, caller)
    found = _transformed(rank_id, {r: Path(f) for r, f in checkpoint_files_map.items()}, source, target, caller)
    _write(Path(save_checkpoint_file_name), found)


def convert_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: dict[int, str],
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Do what `transform_checkpoint_by_rank` does."""
    transform_checkpoint_by_rank(
        rank_id, checkpoint_files_map, save_checkpoint_file_name, src_strategy_file, dst_strategy_file
    )


def _transformed(
    rank: int, files: Mapping[int, Path], source: Layouts, target: Layouts, caller: str
) -> dict[str, np.ndarray]:
    before, after = cuts_for(rank, source, target, caller)
    elsewhere = (target.names - set(after or ())) if not target.is_whole else set()
    pieces: dict[str, dict[int, np.ndarray]] = {}
    for number, file in files.items():
        for name, array in FORMATS[file.suffix[1:]].read(file).items():
            if name not in elsewhere:  # what other stages have is none of this process's
                pieces.setdefault(name, {})[number % source.devices] = array
    return recut(pieces, before, after, rank % target.devices, caller)


def _write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    FORMATS[path.suffix[1:]].write(path, arrays)


# --- all processes ------------------------------------------------------------------------------------------------------


def transform_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Write the checkpoints that all processes need after a change of strategies; if the process is killed, none.

    Args:
        src_checkpoints_dir: The folder with `rank_0`, `rank_1`, ...; the last file in each is used: all `.ckpt`, or all
            `.safetensors`.
        dst_checkpoints_dir: The folder to write `rank_0/PREFIX0.ckpt`, `rank_1/PREFIX1.ckpt`, ... to. If the files are of one stage
            of a pipeline, and there are more, the names end with `_part` and its number.
        ckpt_prefix: The prefix.
        src_strategy_file, dst_strategy_file: See `rank_list_for_transform`.
        process_num: Accepted for MindSpore programs.
        output_format: `"ckpt"`, or for files of that format `"safetensors"`.

    Raises:
        TypeError: If an argument has another type, or a file is no file of strategies.
        NotADirectoryError: If `src_checkpoints_dir` is no folder.
        ValueError: If a file is missing or damaged, pieces do not fit their strategies, or formats do not go together.
    """
    caller = "transform_checkpoints"
    if not isinstance(ckpt_prefix, str):
        raise TypeError(f"{caller}: ckpt_prefix must be a string, got {describe(ckpt_prefix)}.")
    if output_format not in FORMATS:
        raise ValueError(f"{caller}: output_format must be one of {', '.join(FORMATS)}, got {output_format!r}.")
    files = files_of_ranks(src_checkpoints_dir, caller)
    if output_format == "safetensors" and next(iter(files.values())).suffix == ".ckpt":
        raise ValueError(f"{caller}: output_format can not be 'safetensors' for files of the format 'ckpt'.")
    source, target = Layouts(src_strategy_file, caller), Layouts(dst_strategy_file, caller)
    background.finish()
    with replacing_all(dst_checkpoints_dir, make=True) as folder:
        if _is_one_of_more_stages(source, target):
            return _transform_stage(folder, files, source, target, ckpt_prefix, output_format)
        for rank in range(target.devices * target.stages):
            needed = _ranks_for(rank, source, target, caller)
            _check_there(needed, files, f"rank {rank}", caller)
            found = _transformed(rank, {r: files[r] for r in needed}, source, target, caller)
            _write(folder / f"rank_{rank}" / f"{ckpt_prefix}{rank}.{output_format}", found)


def convert_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Do what `transform_checkpoints` does."""
    transform_checkpoints(
        src_checkpoints_dir,
        dst_checkpoints_dir,
        ckpt_prefix,
        src_strategy_file,
        dst_strategy_file,
        process_num,
        output_format,
    )


def files_of_ranks(folder: object, caller: str, suffix: str = "") -> dict[int, Path]:
    """Return the last checkpoint of each process in a folder with `rank_0`, `rank_1`, ..., by their numbers.

    Args:
        folder: The folder.
        caller: The prefix of an error.
        suffix: The end of the file names, before the suffix of the format.

    Raises:
        TypeError: If `folder` is not a path.
        NotADirectoryError: If it is no folder.
        ValueError: If it has no checkpoints, or some of each format.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"{caller}: the folder of checkpoints must be given by its name, got {describe(folder)}.")
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"{caller}: {shown(folder)} is no folder.")
    found: dict[str, dict[int, Path]] = {}
    with settled(folder):
        inner_folders = sorted(Path(folder).iterdir())
    for inner in inner_folders:
        rank = re.fullmatch(r"rank_(\d{1,9})", inner.name)
        for format in FORMATS:
            # As in MindSpore: by name, and where numbers of epochs and steps are told, by these.
            files = [f for f in inner.glob(f"*{suffix}.{format}") if f.is_file()] if rank else []
            if rank and files:
                found.setdefault(format, {})[int(rank[1])] = max(
                    files, key=_by_numbers if format == "safetensors" else str
                )
    if len(found) != 1:
        what = "files of both formats" if found else f"no folders rank_0, rank_1, ... with files '*{suffix}.ckpt' or "
        raise ValueError(f"{caller}: {shown(folder)} has {what}" + ("." if found else f"'*{suffix}.safetensors'."))
    return dict(sorted(next(iter(found.values())).items()))


def _by_numbers(file: Path) -> tuple[list[int], str]:
    return [int(n) for n in re.findall(r"\d+", str(file))][-2:], str(file)


def _check_there(needed: Sequence[int], files: Mapping[int, Path], what: str, caller: str) -> None:
    if missing := [rank for rank in needed if rank not in files]:
        raise ValueError(f"{caller}: the checkpoint of rank {missing[-1]} is needed for {what}, and missing.")


def _is_one_of_more_stages(source: Layouts, target: Layouts) -> bool:
    both = [{n for n in layouts.names if not n.startswith(_ACCUMULATED)} for layouts in (source, target)]
    one_each = source.stages == target.stages == 1 and not source.is_whole and not target.is_whole
    return one_each and both[0] < both[1]


def _transform_stage(
    folder: Path, files: Mapping[int, Path], source: Layouts, target: Layouts, prefix: str, format: str
) -> None:
    caller, stage = "transform_checkpoints", source.file.stage
    of_stage = range(stage * source.devices, (stage + 1) * source.devices)
    _check_there(of_stage, files, f"stage {stage}", caller)
    pieces: dict[str, dict[int, np.ndarray]] = {}
    for rank in of_stage:
        for name, array in FORMATS[files[rank].suffix[1:]].read(files[rank]).items():
            pieces.setdefault(name, {})[rank % source.devices] = array
    before, after = source.cuts(), target.cuts()
    assert after is not None
    after = {name: cut for name, cut in after.items() if name in source.names}
    for device in range(target.devices):
        found = recut(pieces, before, after, device, caller)
        _write(folder / f"rank_{device}" / f"{prefix}{device}_part{stage}.{format}", found)
